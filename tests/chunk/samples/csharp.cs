using System;
using System.Collections.Generic;

namespace Shop.Carts;

/// <summary>Holds lines.</summary>
[Serializable]
public sealed class Cart<T> : Base, IPriced where T : Line
{
    private const int Limit = 10;
    private readonly List<T> lines = new();

    public event EventHandler? Changed;

    public int Size => lines.Count;

    public string Name
    {
        get { return name; }
        set { name = value; }
    }

    public Cart(Shop shop) : base(shop)
    {
        this.shop = shop;
    }

    /// <summary>Adds a line.</summary>
    [Log]
    public async Task<bool> AddAsync(T line, int count = 1)
    {
        if (lines.Count >= Limit) throw new InvalidOperationException("full");
        lines.Add(line);
        return await SaveAsync();
    }

    public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a.Merge(b);

    public T this[int i] => lines[i];

    private class Entry
    {
        public int Price() { return 3; }
    }
}

public interface IPriced
{
    decimal Price();
}

public record Point(int X, int Y);

public struct Size { public int Width; }

public enum State { Open, Closed }

public delegate void Listener(object sender);
