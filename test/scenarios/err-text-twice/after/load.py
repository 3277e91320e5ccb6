def load(path):
    with open(path) as f:
        return f.read()


def load_lines(path):
    with open(path) as f:
        return f.readlines()
