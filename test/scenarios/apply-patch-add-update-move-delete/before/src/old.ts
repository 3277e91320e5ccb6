export function g() {
  return 1
}
export function f() {
  return 1
}
