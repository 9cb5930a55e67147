/** The files of another machine. */
import type { FileFacts, MachineFiles, OpenedFile, ReadOptions } from "@tau/sys";
import { lineQuote } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import { limits } from "./limits.ts";
import { codedError, remoteError } from "./problems.ts";
import { commitRemote } from "./remote-commit.ts";
import { RemoteLists } from "./remote-list.ts";
import { searchRemote } from "./remote-search.ts";
import { readRemoteEntry, readRemoteText } from "./remote-text.ts";
import { factsIn } from "./stat.ts";

const kinds: Readonly<Record<string, FileFacts["kind"]>> = { f: "file", d: "directory", l: "link" };

export function remoteFiles(connection: SshConnection): MachineFiles {
	const lists = new RemoteLists(connection);
	/** The output of a script that succeeds; rejects with the error that it printed. */
	const run = async (script: string, signal?: AbortSignal): Promise<Buffer> => {
		// Whoever gives a signal waits as long as it takes: a link may be slow.
		const isLong = signal !== undefined;
		const { status, output } = await connection.request(script, { signal, isLong, mayRepeat: true });
		if (status !== 0) throw remoteError(output);
		return output;
	};
	const files: MachineFiles = {
		stat: (path) => missing(async () => factsIn((await run(`S -L ${lineQuote(path)}`)).toString())),
		lstat: (path) =>
			missing(async () => {
				const word = lineQuote(path);
				const output = await run(`S ${word} && if [ -L ${word} ]; then readlink ${word}; fi`);
				const [line = "", ...rest] = output.toString("utf8").split("\n");
				const facts = factsIn(line);
				return facts.kind === "link" ? { ...facts, linkTarget: rest.join("\n").slice(0, -1) } : facts;
			}),
		async realpath(path) {
			const none = `{ echo "No such file or directory"; false; }`;
			const script = `R ${lineQuote(path)} && { [ -e "$r" ] || ${none}; } && printf %s "$r"`;
			return (await run(script)).toString("utf8");
		},
		open: (path, signal) => open(run, path, signal),
		read: (path, options) => read(run, path, options),
		async list(path) {
			const names = (await run(`A ${lineQuote(path)}`)).toString("utf8").split("\0");
			return names
				.filter((each) => each.length > 1)
				.map((each) => ({ name: each.slice(1), kind: kinds[each[0] ?? ""] ?? "other", isIgnored: false }))
				.toSorted((a, b) => (a.name < b.name ? -1 : 1));
		},
		glob: (options) => lists.glob(options),
		fuzzyFind: (options) => lists.fuzzyFind(options),
		search: (options, onEvent) => searchRemote(connection, options, onEvent),
		readText: (shown, path) => readRemoteText(connection, shown, path),
		readEntry: (shown, path) => readRemoteEntry(connection, shown, path),
		async commit(changes, options) {
			lists.forget();
			return await commitRemote(connection, changes, options);
		},
		noteChange: () => lists.forget(),
		localPath: () => undefined,
		// The other machine resolves links for each of its commands: a directory that becomes one in between is followed.
		unlinked: () => files,
	};
	return files;
}

async function missing<T>(work: () => Promise<T>): Promise<T | undefined> {
	try {
		return await work();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		return undefined;
	}
}

type Run = (script: string, signal?: AbortSignal) => Promise<Buffer>;

/** The start comes with the size: most files need one round trip. */
async function open(run: Run, path: string, signal: AbortSignal): Promise<OpenedFile | undefined> {
	const word = lineQuote(path);
	const head = await run(
		`S -L ${word} && if [ -f ${word} ]; then ${readable(word)} && Q ${limits.aheadBytes} ${word}; fi`,
		signal,
	);
	const end = head.indexOf(0x0a);
	const { kind, size } = factsIn(head.toString("utf8", 0, end));
	if (kind !== "file") return undefined;
	const ahead = head.subarray(end + 1);
	const isWhole = ahead.length < limits.aheadBytes;
	return {
		size,
		async readInto(into, position) {
			const isAhead = isWhole || position + into.length <= ahead.length;
			const part = isAhead
				? ahead.subarray(position, position + into.length)
				: await run(rangeScript(word, position, into.length), signal);
			into.set(part);
			return part.length;
		},
		async countLines(most, countAll) {
			// Without its end, the last line is not counted by wc.
			const all = `wc -l <${word}; tail -c 1 ${word} | wc -l`;
			const before = most === 0 ? "echo 0 0" : `head -n ${most} ${word} | wc -l -c`;
			const output = await run(countAll ? `${before}; ${all}` : before, signal);
			const numbers = output.toString("utf8").trim().split(/\s+/).map(Number);
			const [lines = NaN, bytes = NaN, ended = NaN, lastEnd = NaN] = numbers;
			if (numbers.some(Number.isNaN) || numbers.length !== (countAll ? 4 : 2)) return undefined;
			return { lines, bytes, ...(countAll ? { total: ended + 1 - lastEnd } : {}) };
		},
		async [Symbol.asyncDispose]() {},
	};
}

async function read(run: Run, path: string, { signal, maxBytes, range }: ReadOptions): Promise<Uint8Array> {
	signal.throwIfAborted();
	const word = lineQuote(path);
	const start = range?.start ?? 0;
	const most = Math.min(range ? range.end - start : Number.POSITIVE_INFINITY, maxBytes + 1);
	const regular = `if [ -e ${word} ] && [ ! -f ${word} ]; then echo "not a regular file"; false; else ${readable(word)}; fi`;
	const bytes = await run(`${regular} && ${rangeScript(word, start, most)}`, signal);
	if (bytes.length > maxBytes) throw codedError("EFBIG", `${path} has more than ${maxBytes} bytes.`);
	return bytes;
}

/** Says why, before any content is printed. */
function readable(word: string): string {
	return `if [ ! -r ${word} ]; then if [ -e ${word} ]; then echo "Permission denied"; else echo "No such file or directory"; fi; false; fi`;
}

/** `tail` complains when nobody reads the rest; that is not part of the file. */
function rangeScript(word: string, start: number, length: number): string {
	if (start === 0) return `Q ${length} ${word}`;
	return `tail -c +${start + 1} ${word} 2>/dev/null | head -c ${length}`;
}
