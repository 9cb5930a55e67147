/** pi's `operations`, which an extension provides so that a built-in tool works on something else than this machine. */
import type { BashOperations } from "@tau/extensions/api";

type Maybe<T> = T | Promise<T>;

export interface ReadOperations {
	readFile(absolutePath: string): Promise<Uint8Array>;
	/** Throws when it cannot be read. */
	access(absolutePath: string): Promise<void>;
	/** Nothing for what is not a picture. */
	detectImageMimeType?(absolutePath: string): Promise<string | null | undefined>;
}

export interface EditOperations {
	readFile(absolutePath: string): Promise<Uint8Array>;
	writeFile(absolutePath: string, content: string): Promise<void>;
	/** Throws when it cannot be read and written. */
	access(absolutePath: string): Promise<void>;
}

export interface WriteOperations {
	writeFile(absolutePath: string, content: string): Promise<void>;
	/** With all directories above it. */
	mkdir(directory: string): Promise<void>;
}

export interface LsOperations {
	exists(absolutePath: string): Maybe<boolean>;
	/** Throws when it is not there. */
	stat(absolutePath: string): Maybe<{ isDirectory(): boolean; size?: number }>;
	readdir(absolutePath: string): Maybe<string[]>;
}

export interface FindOperations {
	exists(absolutePath: string): Maybe<boolean>;
	/** Relative or absolute paths. */
	glob(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): Maybe<string[]>;
}

/** The searched files are local; the shown lines are read by the extension. */
export interface GrepOperations {
	/** Throws when it is not there. */
	isDirectory(absolutePath: string): Maybe<boolean>;
	readFile(absolutePath: string): Maybe<string>;
}

/** The operations of each tool, by its name. */
export interface OperationsByTool {
	read: ReadOperations;
	bash: BashOperations;
	edit: EditOperations;
	write: WriteOperations;
	grep: GrepOperations;
	find: FindOperations;
	ls: LsOperations;
}

/** Those of any tool: each provides some of these. */
export interface AnyOperations {
	readFile?(absolutePath: string): Maybe<Uint8Array | string>;
	access?: ReadOperations["access"];
	detectImageMimeType?: ReadOperations["detectImageMimeType"];
	writeFile?: WriteOperations["writeFile"];
	mkdir?: WriteOperations["mkdir"];
	exists?: LsOperations["exists"];
	stat?: LsOperations["stat"];
	readdir?: LsOperations["readdir"];
	glob?: FindOperations["glob"];
	isDirectory?: GrepOperations["isDirectory"];
	exec?: BashOperations["exec"];
}
