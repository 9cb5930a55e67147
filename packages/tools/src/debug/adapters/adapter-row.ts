/** What Tau knows of a debug adapter: a row of data. */

/** What to debug, as a call names it; paths are absolute. */
export interface LaunchTarget {
	readonly program: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	readonly stopOnEntry: boolean;
	/** The program that starts the adapter, such as a Python that has debugpy. */
	readonly adapterProgram: string;
}

/** A process or, without one, an adapter that has its program already and listens on a port. */
export interface AttachTarget {
	readonly pid?: number;
}

export interface AdapterRow {
	readonly name: string;
	/** Extensions of programs that it debugs; a row that debugs executables has `native`. */
	readonly files: readonly string[];
	readonly native?: true;
	/** The program and its arguments. */
	readonly command: readonly [program: string, ...args: string[]];
	/** Other names of the program, tried in order. */
	readonly alsoCalled?: readonly string[];
	/** Arguments with which the program must exit with 0 and, if given, print a version of at least this. */
	readonly probe?: { readonly args: readonly string[]; readonly atLeast?: number };
	/** It listens on a port that it prints, instead of speaking over its input and output. */
	readonly tcp?: true;
	/** It traces the program by the system's own means, which a sandbox refuses. */
	readonly traces?: true;
	/** The command that installs it, as a user would type it. */
	readonly install: string;
	/** The `type` that launch configurations of VS Code have for it. */
	readonly type: string;
	/** The program that runs such a file without a debugger: what an approval shows. */
	readonly runner?: readonly string[];
	launch(target: LaunchTarget): Record<string, unknown>;
	attach?(target: AttachTarget): Record<string, unknown>;
	/** Added to every launch and attach. */
	readonly configuration?: Readonly<Record<string, unknown>>;
}
