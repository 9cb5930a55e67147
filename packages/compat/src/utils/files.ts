/** omp's small functions for files: what kind of error it was, whether it is text, and directories that go away again. */
import { accessSync, closeSync, constants, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep, isAbsolute } from "node:path";

const sniffBytes = 8192;

type FsError = Error & { code: string };

function isFsError(error: unknown): error is FsError {
	return error instanceof Error && "code" in error && typeof error.code === "string";
}

function hasFsCode(error: unknown, code: string): error is FsError {
	return isFsError(error) && error.code === code;
}

function ofCode(code: string): (error: unknown) => error is FsError {
	return (error): error is FsError => hasFsCode(error, code);
}

/** A text has no zero bytes. */
function isProbablyBinaryHeader(header: Uint8Array): boolean {
	return header.includes(0);
}

function isProbablyBinarySync(path: string, maxBytes = sniffBytes): boolean {
	const file = openSync(path, "r");
	try {
		const header = new Uint8Array(maxBytes);
		return isProbablyBinaryHeader(header.subarray(0, readSync(file, header)));
	} finally {
		closeSync(file);
	}
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		// What is not there cannot be run either.
		return false;
	}
}

/** Undefined if it is elsewhere. */
function relativePathWithinRoot(root: string, candidate: string): string | null {
	const path = relative(resolve(root), resolve(candidate));
	return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? null : path;
}

async function directoryExists(path: string): Promise<boolean> {
	try {
		return (await stat(path)).isDirectory();
	} catch {
		// Then it is none.
		return false;
	}
}

/** Its own temporary directory, and nothing else, is deleted with it. */
class TempDir implements Disposable, AsyncDisposable {
	readonly #path: string;

	private constructor(path: string) {
		this.#path = path;
	}

	static createSync(prefix?: string): TempDir {
		return new TempDir(mkdtempSync(beginning(prefix)));
	}

	static async create(prefix?: string): Promise<TempDir> {
		return new TempDir(await mkdtemp(beginning(prefix)));
	}

	path(): string {
		return this.#path;
	}

	absolute(): string {
		return resolve(this.#path);
	}

	join(...parts: string[]): string {
		return join(this.#path, ...parts);
	}

	toString(): string {
		return this.#path;
	}

	async remove(): Promise<void> {
		await rm(this.#path, { recursive: true, force: true });
	}

	removeSync(): void {
		rmSync(this.#path, { recursive: true, force: true });
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.remove();
	}

	[Symbol.dispose](): void {
		this.removeSync();
	}
}

/** An `@` represents the directory of temporary files; other paths are used unchanged. */
function beginning(prefix = "@tau-"): string {
	if (prefix.startsWith("@")) return join(tmpdir(), prefix.slice(1));
	return isAbsolute(prefix) ? prefix : join(tmpdir(), prefix);
}

/** What extensions get of it. */
export const fileExports = {
	isFsError,
	hasFsCode,
	isEnoent: ofCode("ENOENT"),
	isEacces: ofCode("EACCES"),
	isEisdir: ofCode("EISDIR"),
	isEnotdir: ofCode("ENOTDIR"),
	isEexist: ofCode("EEXIST"),
	isEnotempty: ofCode("ENOTEMPTY"),
	BINARY_SNIFF_BYTES: sniffBytes,
	isProbablyBinaryHeader,
	isProbablyBinarySync,
	isProbablyBinary: async (path: string, maxBytes?: number) => isProbablyBinarySync(path, maxBytes),
	isExecutable,
	relativePathWithinRoot,
	pathIsWithin: (root: string, candidate: string) => relativePathWithinRoot(root, candidate) !== null,
	directoryExists,
	directoryIsMissing: async (path: string) => !(await directoryExists(path)),
	TempDir,
};
