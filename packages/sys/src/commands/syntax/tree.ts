/** The tree of a shell script, as far as judging it needs. */

export interface Word {
	/** As written. */
	readonly text: string;
	readonly parts: readonly Part[];
}

export type Part = LiteralPart | DynamicPart;

export interface LiteralPart {
	readonly kind: "literal";
	readonly text: string;
	/** Quoted or escaped: no brace, tilde or glob expansion. */
	readonly quoted: boolean;
}

/** What only the shell can expand. */
export interface DynamicPart {
	readonly kind: "dynamic";
	readonly text: string;
	/** `glob`: file names; `number`: digits only; `value`: anything. */
	readonly gives: "glob" | "number" | "value";
	readonly quoted: boolean;
	/** Set for `$x` and `${x}`. */
	readonly variable?: string;
	/** Scripts that run to expand it. */
	readonly scripts: readonly Script[];
	/** Operands of an arithmetic expression in it, such as `i` and `$n`; bash evaluates their values in turn. */
	readonly arithmetic?: readonly Part[];
	/** Variables that the expansion itself assigns (`${x:=y}`, `$((i++))`). */
	readonly assigns?: readonly string[];
	/** Why no one can know what it runs (`${x@P}`, `${!x}`). */
	readonly opaque?: string;
}

export interface Assignment {
	readonly name: string;
	/** `a[i]=x`, `a+=x` or `a=(…)`. */
	readonly complex: boolean;
	readonly words: readonly Word[];
}

export interface Redirect {
	readonly operator: string;
	/** The descriptor that it opens: `0` or `1` where none is written. */
	readonly descriptor: number;
	readonly target: Word;
	/** The body of a heredoc. */
	readonly body?: Word;
}

export interface Simple {
	readonly kind: "simple";
	readonly assignments: readonly Assignment[];
	readonly words: readonly Word[];
	readonly redirects: readonly Redirect[];
	readonly text: string;
}

export type ListOperator = ";" | "&" | "&&" | "||";

export interface Script {
	readonly kind: "list";
	readonly items: readonly { readonly node: Node; readonly operator: ListOperator }[];
}

export interface Pipeline {
	readonly kind: "pipeline";
	readonly commands: readonly Node[];
}

/** `( )` and coprocesses: what happens inside does not change the shell itself. */
export interface Subshell {
	readonly kind: "subshell";
	readonly body: Script;
	readonly redirects: readonly Redirect[];
}

/** Groups, conditions and loops. */
export interface Compound {
	readonly kind: "compound";
	readonly sort: "group" | "branches" | "loop";
	/** Words that are expanded first: those of `for` and `case`, patterns. */
	readonly words: readonly Word[];
	/** `for x`: the variable, and whether `words` are its values. */
	readonly variable?: string;
	readonly bodies: readonly Script[];
	readonly redirects: readonly Redirect[];
}

export interface FunctionDefinition {
	readonly kind: "function";
	readonly name: string;
	readonly body: Node;
}

/** `[[ … ]]` and `(( … ))`. */
export interface Expression {
	readonly kind: "expression";
	readonly words: readonly Word[];
	/** Operands that bash evaluates as arithmetic. */
	readonly arithmetic: readonly Part[];
	readonly assigns: readonly string[];
	/** Those of them that get a number before anything else is evaluated, as in `for ((i = 0; …))`. */
	readonly sets: readonly string[];
	readonly redirects: readonly Redirect[];
}

export type Node = Simple | Script | Pipeline | Subshell | Compound | FunctionDefinition | Expression;
