/** Checks one edit: what the servers said of its files before, and what they say of them afterwards. */
import type { Diagnostic } from "vscode-languageserver-protocol";

import type { MachineFiles } from "@tau/sys";

import type { ToolEnv } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import type { OpenDocument } from "../client/documents.ts";
import type { LanguageServer } from "../client/language-server.ts";
import type { LanguageServers } from "../language-servers.ts";
import { limits } from "../limits.ts";
import { openImporters } from "./importers.ts";
import { newDiagnostics, problemOf, type Problem } from "./new-diagnostics.ts";

interface Before {
	readonly path: string;
	readonly text: string;
	/** Undefined if the server could not say. */
	readonly diagnostics: readonly Diagnostic[] | undefined;
}

interface Baseline {
	readonly server: LanguageServer;
	readonly files: readonly Before[];
}

/** What a check finds: a result waits a moment for the first part. */
export interface Findings {
	/** In the changed files, and in others if the server answers for them when it is asked. */
	readonly first: Promise<readonly Problem[]>;
	/** In other open files that a server mentions by itself, in its own time, and what it adds to the changed ones. */
	readonly others: Promise<readonly Problem[]>;
}

/** Servers whose last answer after an edit came too late for the result: the next result does not wait for them. */
const late = new WeakMap<LanguageServer, number>();

interface CheckOptions {
	signal: AbortSignal;
	/** An earlier check whose result nobody has seen yet. */
	unfinished?: EditCheck | undefined;
}

export class EditCheck {
	readonly #servers: LanguageServers;
	readonly #files: MachineFiles;
	readonly #signal: AbortSignal;
	/** An earlier check whose result nobody has seen yet: what is new since then is new. */
	#unfinished: EditCheck | undefined;
	#isSuperseded = false;
	/** The model knows what the first part found: a later check compares with what is there now. */
	#isFirstTold = false;
	/** The files as they were, by path; undefined for one that did not exist. */
	readonly #texts: ReadonlyMap<string, string | undefined>;
	readonly #running: Promise<readonly LanguageServer[]>;
	readonly #baselines: Promise<readonly Baseline[]>;

	private constructor(
		{ machine }: Pick<ToolEnv, "machine">,
		servers: LanguageServers,
		texts: ReadonlyMap<string, string | undefined>,
		{ signal, unfinished }: CheckOptions,
	) {
		this.#files = machine.files;
		this.#servers = servers;
		this.#texts = texts;
		this.#signal = signal;
		this.#unfinished = unfinished;
		if (unfinished) unfinished.#isSuperseded = true;
		this.#running = this.#start();
		this.#baselines = this.#running.then((all) => Promise.all(all.map((server) => this.#baseline(server))));
		this.#baselines.catch(() => {});
	}

	/** Reads the files before they are changed; what the servers say of them is asked in the background. */
	static async begin(
		env: Pick<ToolEnv, "machine">,
		servers: LanguageServers,
		paths: readonly string[],
		options: CheckOptions,
	): Promise<EditCheck> {
		const texts = new Map<string, string | undefined>();
		for (const path of paths) {
			const file = await env.machine.files.readText(path, path);
			if (file.ok) texts.set(file.target, file.text);
		}
		return new EditCheck(env, servers, texts, options);
	}

	/** Once it is known what was wrong before. */
	get ready(): Promise<unknown> {
		return this.#baselines.catch(() => undefined);
	}

	get paths(): readonly string[] {
		return [...this.#texts.keys()];
	}

	/** How long a result may wait for it. */
	async patienceMs(): Promise<number> {
		const servers = await this.#running.catch(() => []);
		const isQuick = servers.some((server) => (late.get(server) ?? 0) < patience(server));
		return isQuick ? limits.afterEditMs : 0;
	}

	/** New errors of the changed files and of the open files that depend on them; none if a later check has taken over. */
	finish(): Findings {
		const until = performance.now() + limits.lateMs;
		const parts = this.#baselines.then(async (baselines) => {
			for (const { server, files } of baselines) await syncFiles(server, files.map(pathOf));
			return baselines.map((baseline) => ({
				baseline,
				first: this.#firstErrors(baseline, until),
				others: this.#errors(baseline, baseline.files.filter(this.#isOther(baseline)), until),
			}));
		});
		const first = parts.then(async (all) => (await Promise.all(all.map((part) => part.first))).flat());
		const others = parts.then(async (all) => {
			// In order: findings of the first part are reported first.
			const reported = new Set((await first).map(keyOf));
			const added = all.map(async ({ baseline, others: part }) => [
				...(await part),
				...(await this.#addedErrors(baseline, until)).filter((one) => !reported.has(keyOf(one))),
			]);
			return (await Promise.all(added)).flat();
		});
		others.catch(() => {});
		return {
			first: first.then((found) => {
				if (this.#isSuperseded) return [];
				this.#isFirstTold = true;
				return found;
			}),
			others: others.then((found) => (this.#isSuperseded ? [] : found)),
		};
	}

	/** Files that the result does not wait for. */
	#isOther({ server }: Pick<Baseline, "server">): (file: Before) => boolean {
		return ({ path }) => !server.pullOptions && !this.#texts.has(path);
	}

	async #firstErrors(baseline: Baseline, until: number): Promise<Problem[]> {
		const { server, files } = baseline;
		const isOther = this.#isOther(baseline);
		const start = performance.now();
		const found = await this.#errors(
			baseline,
			files.filter((file) => !isOther(file)),
			until,
		);
		const isLate = performance.now() - start > limits.afterEditMs;
		late.set(server, isLate ? (late.get(server) ?? 0) + 1 : 0);
		return found;
	}

	/** A server that names no versions may publish in parts: first what is quickly found. */
	async #addedErrors({ server, files }: Baseline, until: number): Promise<Problem[]> {
		const changed = files.filter(({ path }) => this.#texts.has(path));
		const found = changed.map(async (before) => {
			const timeoutMs = Math.max(0, until - performance.now());
			const options = { signal: this.#signal, timeoutMs };
			const hasMore = await server.diagnostics.publishesMore(before.path, options).catch(ignoreLsp);
			return hasMore ? await this.#newErrors(server, before, until) : [];
		});
		return (await Promise.all(found)).flat();
	}

	async #errors({ server }: Baseline, files: readonly Before[], until: number): Promise<Problem[]> {
		return (await Promise.all(files.map((before) => this.#newErrors(server, before, until)))).flat();
	}

	async #start(): Promise<readonly LanguageServer[]> {
		const running = new Set<LanguageServer>();
		for (const path of this.paths) {
			for (const candidate of await this.#servers.chosen(path)) {
				if (!this.#servers.isAtHand(candidate)) continue;
				const server = await this.#servers.server(candidate, this.#signal).catch(() => undefined);
				if (server) running.add(server);
			}
		}
		return [...running];
	}

	async #baseline(server: LanguageServer): Promise<Baseline> {
		// An earlier check still compares with older texts: they must not change under it.
		const inherited = this.#unfinished ? await this.#unfinished.#untold() : [];
		this.#unfinished = undefined;
		await server.noteDisk();
		const earlier = inherited.find((one) => one.server === server)?.files ?? [];
		const own = this.paths.filter((path) => server.knows(path));
		// Opened with the old text, so that the server is asked about the same change that was made.
		for (const path of own) {
			const text = this.#texts.get(path);
			if (text !== undefined) server.documents.set(path, text);
		}
		for (const path of own) await openImporters(server, path, this.#files, this.#signal);
		const known = new Set(earlier.map(({ path }) => path));
		const others = server.documents.all
			.map(({ path }) => path)
			.filter((path) => !this.#texts.has(path))
			.slice(-limits.dependants);
		const missing = (paths: readonly string[], timeoutMs: number): Promise<Before>[] =>
			paths.filter((path) => !known.has(path)).map((path) => this.#before(server, path, timeoutMs));
		const added = [...missing(own, limits.lateMs), ...missing(others, limits.dependantMs)];
		const untold = earlier.map((before) => stillThere(server, before));
		return { server, files: [...untold, ...(await Promise.all(added))] };
	}

	/** What it compares with, as far as the model has not seen the result. */
	async #untold(): Promise<readonly Baseline[]> {
		const baselines = await this.#baselines.catch(() => []);
		if (!this.#isFirstTold) return baselines;
		return baselines.map(({ server, files }) => ({ server, files: files.filter(this.#isOther({ server })) }));
	}

	async #before(server: LanguageServer, path: string, timeoutMs: number): Promise<Before> {
		const document = server.documents.get(path);
		// A file that did not exist had no problems.
		if (!document) return { path, text: "", diagnostics: [] };
		const { diagnostics } = server;
		const text = document.text.text;
		const known = server.pullOptions ? undefined : lastWord(server, document);
		// Nobody waits for what a server may say of another file.
		if (known || (!server.pullOptions && !this.#texts.has(path))) return { path, text, diagnostics: known };
		const options = { signal: this.#signal, timeoutMs };
		const found = await diagnostics.of(document, options).catch(ignoreLsp);
		return { path, text, diagnostics: found ?? (diagnostics.isSilentAbout(path) ? [] : undefined) };
	}

	async #newErrors(
		server: LanguageServer,
		{ path, text, diagnostics: before }: Before,
		until: number,
	): Promise<Problem[]> {
		const document = server.documents.get(path);
		const timeoutMs = until - performance.now();
		// What nobody knew before cannot be compared: its new errors are not known either.
		if (!document || !before || timeoutMs <= 0) return [];
		const options = { signal: this.#signal, timeoutMs };
		const after = await server.diagnostics.of(document, options).catch(ignoreLsp);
		if (!after) return [];
		const found = newDiagnostics(before, after, { before: text, after: document.text.text });
		const errors = found.filter(({ severity }) => (severity ?? 1) === 1);
		return errors.map((one) => problemOf(path, one));
	}
}

/** One that is asked answers as soon as it can: a single late answer, such as the first one, means little. */
function patience({ pullOptions }: LanguageServer): number {
	return pullOptions ? 2 : 1;
}

function lastWord({ diagnostics, isGone }: LanguageServer, document: OpenDocument) {
	return isGone ? undefined : diagnostics.lastWord(document);
}

/** Of the old problems those that are left, if the server has said so: one that comes back is a new one. */
function stillThere(server: LanguageServer, before: Before): Before {
	const document = server.documents.get(before.path);
	const now = document && !server.pullOptions ? lastWord(server, document) : undefined;
	if (!document || !now || !before.diagnostics) return before;
	const text = document.text.text;
	const added = new Set(newDiagnostics(before.diagnostics, now, { before: before.text, after: text }));
	return { path: before.path, text, diagnostics: now.filter((one) => !added.has(one)) };
}

function keyOf({ path, line, column, message }: Problem): string {
	return [path, line, column, message].join("\0");
}

function pathOf({ path }: Before): string {
	return path;
}

async function syncFiles(server: LanguageServer, paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		// A deleted file is closed.
		if (server.knows(path)) await server.sync(path).catch(ignoreLsp);
	}
}

function ignoreLsp(error: unknown): undefined {
	if (!(error instanceof LspError)) throw error;
	return undefined;
}
