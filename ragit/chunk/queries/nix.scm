(binding attrpath: (_) @name) @definition.binding

