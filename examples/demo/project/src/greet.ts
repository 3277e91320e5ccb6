export function greet(name: string): string {
  return 'Hello ' + name
}

export function farewell(name: string): string {
  if (name === '') {
    return 'Goodbye'
  }
  return 'Goodbye ' + name
}
