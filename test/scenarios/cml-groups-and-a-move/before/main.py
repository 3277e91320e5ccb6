def total(values):
    result = 0
    for value in values:
        result += value
    return result

print(total([1]))
print(total([]))
