using System;
using System.Linq;

class Program {
    static void Main(string[] args) {
        var name = args[0];
        Console.WriteLine($"hi {name}");
    }
}
