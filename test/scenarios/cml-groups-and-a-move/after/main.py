from lib.sum import total

show(total([1]))
show(total([]))
