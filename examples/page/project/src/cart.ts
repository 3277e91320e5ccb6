import { format } from './money.ts'

export interface Item {
  name: string
  price: number
  quantity: number
}

export class Cart {
  private items: Item[] = []

  add(item: Item): void {
    this.items.push(item)
  }

  remove(name: string): void {
    this.items = this.items.filter((item) => item.name !== name)
  }

  total(): number {
    let sum = 0
    for (const item of this.items) {
      sum = sum + item.price
    }
    return sum
  }

  summary(): string {
    const lines = this.items.map((item) => item.name + ': ' + format(item.price))
    return lines.join('\n') + '\nTotal: ' + format(this.total())
  }
}
