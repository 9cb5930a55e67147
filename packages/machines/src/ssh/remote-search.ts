/** Searches files of another machine: with its ripgrep or, where it has none, with its grep and the ripgrep from here. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { temporaryDirectory } from "@tau/utils";

import {
	search,
	searchWith,
	type OnSearchEvent,
	type RunningSearch,
	type SearchOptions,
	type SearchOutcome,
} from "@tau/sys";
import { ConnectionLost, lineQuote } from "./channel.ts";
import type { SshConnection } from "./connection.ts";
import { limits } from "./limits.ts";
import { listScript, pathsIn } from "./remote-list.ts";

export async function searchRemote(
	connection: SshConnection,
	options: SearchOptions,
	onEvent: OnSearchEvent,
): Promise<SearchOutcome> {
	try {
		const { programs } = await connection.facts(options.signal);
		if (!programs.has("rg")) return await searchWithGrep(connection, options, onEvent);
		const start = async (args: readonly string[], cwd: string): Promise<RunningSearch> =>
			startThere(connection, args, cwd);
		return await searchWith(start, options, onEvent);
	} catch (error) {
		if (options.signal?.aborted) return { ok: true, matches: 0, files: 0, stopped: "abort", problems: [] };
		if (!(error instanceof ConnectionLost)) throw error;
		return { ok: false, reason: "failed", message: error.message };
	}
}

/** Its complaints come after its output, behind a mark that no output has. */
const mark = "\0complaints\0";

function startThere(connection: SshConnection, args: readonly string[], cwd: string): RunningSearch {
	const stop = new AbortController();
	const chunks = new TransformStream<Uint8Array, Uint8Array>(undefined, {
		highWaterMark: 1 << 16,
		size: (each) => each?.length ?? 0,
	});
	const writer = chunks.writable.getWriter();
	let errors: Buffer | undefined;
	const words = args.map(lineQuote).join(" ");
	// Without the program's complaints on its output: records are read line by line.
	const script = `e=$d/rg.$$; { cd ${lineQuote(cwd)} && rg ${words}; } 2>"$e" </dev/null; printf "${mark.replaceAll("\0", "\\0")}"; if [ -s "$e" ]; then head -c 65536 "$e"; fi`;
	const work = connection.request(script, {
		signal: stop.signal,
		isLong: true,
		onData: async (chunk) => {
			const bytes = Buffer.from(chunk);
			if (errors) return void (errors = Buffer.concat([errors, bytes]));
			const at = bytes.indexOf(mark);
			if (at >= 0) errors = bytes.subarray(at + mark.length);
			const output = at < 0 ? bytes : bytes.subarray(0, at);
			if (output.length > 0) await writer.write(output);
		},
	});
	const complaints = work.then(
		() => errors?.toString("utf8") ?? "",
		(error: unknown) => errors?.toString("utf8") || (error instanceof ConnectionLost ? error.message : ""),
	);
	void complaints.finally(() => writer.close().catch(() => {}));
	return { output: chunks.readable, complaints, kill: () => stop.abort() };
}

/** Finds the files that may match there, brings them here, and searches them here. */
async function searchWithGrep(
	connection: SshConnection,
	options: SearchOptions,
	onEvent: OnSearchEvent,
): Promise<SearchOutcome> {
	if (options.multiline)
		return {
			ok: false,
			reason: "missing",
			message: `A search over several lines needs ripgrep on ${connection.name}. Install it there (package ripgrep).`,
		};
	const directory = temporaryDirectory("search");
	try {
		const names = await candidates(connection, options);
		const fetched = await fetchFiles(connection, names, directory, options.signal);
		const here = options.paths.map((path) => join(directory, resolve(options.cwd, path)));
		mkdirSync(join(directory, options.cwd), { recursive: true });
		const paths = here.filter((path) =>
			[...fetched].some((each) => each === path || each.startsWith(`${path}/`)),
		);
		// A pattern that is wrong is reported, even if no file is left.
		if (paths.length === 0) paths.push(directory);
		const outcome = await search(
			// What is ignored there was left out there.
			{ ...options, cwd: join(directory, options.cwd), paths, gitignore: false },
			(event) => onEvent({ ...event, path: event.path.slice(directory.length) }),
		);
		if (!outcome.ok || names.length <= limits.candidates) return outcome;
		return { ...outcome, stopped: outcome.stopped ?? "limit" };
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** With names that contain a line end it finds less, never more. */
async function candidates(connection: SshConnection, options: SearchOptions): Promise<string[]> {
	const { programs } = await connection.facts(options.signal);
	const { pattern, literal, ignoreCase, hidden, gitignore } = options;
	const kind = literal ? "-F" : "-E";
	const flags = `${kind}${ignoreCase ? "i" : ""}`;
	const word = lineQuote(literal ? pattern : extended(pattern));
	const script = options.paths.map((path) => {
		const absolute = resolve(options.cwd, path);
		const list = listScript(programs, { root: absolute, hidden, gitignore });
		const found = `{ ${list}; } | tr "\\0" "\\n" | while IFS= read -r k; do if grep -q ${flags} -e ${word} "./$k" 2>/dev/null; then printf "%s/%s\\0" ${lineQuote(absolute)} "\${k#./}"; fi; done`;
		const single = `if grep -q ${flags} -e ${word} ${lineQuote(absolute)} 2>/dev/null; then printf "%s\\0" ${lineQuote(absolute)}; fi`;
		return `if [ -d ${lineQuote(absolute)} ]; then (cd ${lineQuote(absolute)} && ${found}); else ${single}; fi`;
	});
	const { output } = await connection.request(script.join("; "), { signal: options.signal, isLong: true });
	return pathsIn(output);
}

/** What ripgrep's patterns have and those of POSIX do not; a file too many is sorted out here. */
function extended(pattern: string): string {
	return pattern
		.replaceAll("\\d", "[0-9]")
		.replaceAll("\\w", "[[:alnum:]_]")
		.replaceAll("\\s", "[[:space:]]")
		.replaceAll(/\(\?[:i]+/g, "(")
		.replaceAll(/\\b|([*+?}])\?/g, "$1");
}

async function fetchFiles(
	connection: SshConnection,
	names: readonly string[],
	directory: string,
	signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
	const fetched = new Set<string>();
	let bytes = 0;
	for (const name of names.slice(0, limits.candidates)) {
		const { output, status } = await connection.request(
			`head -c ${limits.candidateBytes} ${lineQuote(name)} 2>/dev/null`,
			{ signal },
		);
		bytes += output.length;
		if (status !== 0 || bytes > limits.candidateBytes) continue;
		const path = join(directory, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, output);
		fetched.add(path);
	}
	return fetched;
}
