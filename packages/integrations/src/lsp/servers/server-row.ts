/** What Tau knows of a language server: a row of data. */

export interface ServerRow {
	readonly name: string;
	/** The files that it understands: an extension or a whole name, and the language that the protocol calls it. */
	readonly files: Readonly<Record<string, string>>;
	/** Files that mark the root of a project, the strongest first; `*` stands for any characters. */
	readonly roots: readonly string[];
	/** The program and its arguments. */
	readonly command: readonly [program: string, ...args: string[]];
	/** Other names of the program, tried in order; their arguments are the same. */
	readonly alsoCalled?: readonly string[];
	/** The command that installs it, as a user would type it. */
	readonly install: string;
	/** Works only in projects with such a root, and beside another server: a linter or a framework. */
	readonly onlyWithRoot?: true;
	/** Reports problems and fixes, and knows nothing of definitions. */
	readonly isLinter?: true;
	/** The program is the project's own, and the first of these versions or a newer one: `{ package: "typescript", major: 7 }`. */
	readonly ownPackage?: { readonly name: string; readonly major: number };
	readonly initializationOptions?: Readonly<Record<string, unknown>>;
	/** Answers to `workspace/configuration`, by section. */
	readonly settings?: Readonly<Record<string, unknown>>;
	/** Finds the uses of a symbol only in files that are open. */
	readonly searchesOpenFiles?: true;
	/** Ready in a moment: a first diagnosis after a write may start it. */
	readonly startsQuickly?: true;
}
