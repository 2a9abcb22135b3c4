(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
((assignment
   left: (constant) @name
   right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.class
 (#any-of? @_class "Struct" "Class" "Module" "Data")
 (#any-of? @_new "new" "define"))
(assignment left: (constant) @name) @definition.constant
(assignment left: (scope_resolution) @name) @definition.constant
(alias name: (_) @name) @definition.method

; Definitions by a call
((call
   method: (identifier) @_call
   arguments: (argument_list . [(simple_symbol) (string) (delimited_symbol)] @name)) @definition.method
 (#any-of? @_call
   "define_method" "define_singleton_method" "alias_method" "scope" "define_model_callbacks"
   "let" "let!" "subject" "subject!"))
((call
   method: (identifier) @_call
   arguments: (argument_list [(simple_symbol) (string)] @name)) @definition.property
 (#any-of? @_call
   "attr_accessor" "attr_reader" "attr_writer" "mattr_accessor" "mattr_reader" "mattr_writer"
   "cattr_accessor" "cattr_reader" "cattr_writer" "class_attribute" "thread_mattr_accessor"))
((call
   method: (identifier) @_call
   arguments: (argument_list . (simple_symbol) @name)) @definition.property
 (#any-of? @_call
   "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "attribute" "has_one_attached"
   "has_many_attached" "delegate" "enum"))

((call method: (identifier) @_call) @import
 (#any-of? @_call "require" "require_relative" "load" "autoload"))

; Tests and tasks
((call method: (identifier) @_call arguments: (argument_list . (_) @name)) @definition.describe
 (#any-of? @_call "describe" "context" "feature" "shared_examples" "shared_context"))
((call method: (identifier) @_call arguments: (argument_list . (_) @name)) @definition.test
 (#any-of? @_call "it" "specify" "test" "scenario"))
((call
   method: (identifier) @_call
   arguments: (argument_list . [(pair key: (_) @name) (simple_symbol) @name (string) @name]))
 @definition.task
 (#any-of? @_call "task" "multitask"))
