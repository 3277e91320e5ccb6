# Runs a program on a pseudo-terminal. Reads orders as lines of JSON on stdin ({"send": text}, {"columns": n},
# {"signal": n}), passes on what the terminal shows, and ends as the program does.
import fcntl, json, os, pty, select, struct, sys, termios

columns = int(sys.argv[1])
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])


def resize(width):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))


resize(columns)
orders = b""
sources = [0, master]
while True:
    ready, _, _ = select.select(sources, [], [])
    if master in ready:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            sources.remove(0)
        orders += data
        while b"\n" in orders:
            line, orders = orders.split(b"\n", 1)
            order = json.loads(line)
            if "send" in order:
                os.write(master, order["send"].encode())
            if "columns" in order:
                resize(order["columns"])
            if "signal" in order:
                os.kill(pid, order["signal"])
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
