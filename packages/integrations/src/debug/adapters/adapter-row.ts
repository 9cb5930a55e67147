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

/** A process or, without one, a program or an adapter that listens on a port. */
export interface AttachTarget {
	readonly pid?: number;
	readonly host?: string;
	readonly port?: number;
}

export interface AdapterRow {
	readonly name: string;
	/** Extensions of programs that it debugs; a row that debugs executables has `native`. */
	readonly files: readonly string[];
	readonly native?: true;
	/** Executables that it debugs better than others, by their first bytes. */
	builtFrom?(head: Uint8Array): boolean;
	/** Lines that the debugger prints about itself as if the program did. */
	readonly noise?: RegExp;
	/** What the program prints comes with the adapter's own output. */
	readonly printsOutput?: true;
	/** The program and its arguments. */
	readonly command: readonly [program: string, ...args: string[]];
	/** Other names of the program, tried in order. */
	readonly alsoCalled?: readonly string[];
	/** Where editors keep it, below the home directory; `*` is for a version. */
	readonly alsoAt?: readonly string[];
	/** Runs what is found there, if that is a script. */
	readonly scriptRunner?: string;
	/** Arguments with which the program must exit with 0 and, if given, print a version of at least this. */
	readonly probe?: { readonly args: readonly string[]; readonly atLeast?: number };
	/** It listens on a port that it prints, instead of speaking over its input and output. */
	readonly tcp?: true;
	/** What it needs and a sandbox refuses: to trace the program by the system's own means, or to listen on a socket file. */
	readonly refusedInSandbox?: "tracing" | "Unix sockets";
	/** The command that installs it, as a user would type it. */
	readonly install: string;
	/** The `type` that launch configurations of VS Code have for it. */
	readonly type: string;
	/** The program that runs such a file without a debugger: what an approval shows. */
	readonly runner?: readonly string[];
	launch(target: LaunchTarget): Record<string, unknown>;
	/** A text says why it cannot attach to such a target, and what helps. */
	attach?(target: AttachTarget): Record<string, unknown> | string;
	/** Added to what its adapter asks for in child sessions. */
	readonly childConfiguration?: Readonly<Record<string, unknown>>;
	/** The filters that are on unless a call names others, where the adapter itself would have none. */
	readonly exceptions?: readonly string[];
	/** A port is one of the program (node --inspect), which the adapter connects to. Without it, an adapter listens there. */
	readonly attachesByPort?: true;
	/** Added to every launch and attach. */
	readonly configuration?: Readonly<Record<string, unknown>>;
}
