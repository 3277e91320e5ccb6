def greet(name):
    print(f"hi {name}")


greet("you")
