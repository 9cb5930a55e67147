/** Checks one edit: what the servers said of its files before, and what they say of them afterwards. */
import type { Diagnostic } from "vscode-languageserver-protocol";

import type { MachineFiles } from "@tau/sys";

import type { ToolEnv } from "../../tool/env.ts";
import { LspError } from "../client/connection.ts";
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
	/** The files as they were, by path; undefined for one that did not exist. */
	readonly #texts: ReadonlyMap<string, string | undefined>;
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
		this.#baselines = this.#begin();
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

	/** New errors of the changed files and of the open files that depend on them; none if a later check has taken over. */
	async finish(): Promise<readonly Problem[]> {
		const found: Problem[] = [];
		const until = performance.now() + limits.lateMs;
		for (const { server, files } of await this.#baselines) {
			await syncFiles(
				server,
				files.map(({ path }) => path),
			);
			const errors = await Promise.all(files.map((before) => this.#newErrors(server, before, until)));
			found.push(...errors.flat());
		}
		return this.#isSuperseded ? [] : found;
	}

	async #begin(): Promise<readonly Baseline[]> {
		const running = new Set<LanguageServer>();
		for (const path of this.paths) {
			for (const candidate of await this.#servers.chosen(path)) {
				if (!this.#servers.isAtHand(candidate)) continue;
				const server = await this.#servers.server(candidate, this.#signal).catch(() => undefined);
				if (server) running.add(server);
			}
		}
		return Promise.all([...running].map((server) => this.#baseline(server)));
	}

	async #baseline(server: LanguageServer): Promise<Baseline> {
		// An earlier check still compares with older texts: they must not change under it.
		const inherited = this.#unfinished ? await this.#unfinished.#baselines.catch(() => []) : [];
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
		const files = [...earlier, ...(await Promise.all(added))];
		return { server, files };
	}

	async #before(server: LanguageServer, path: string, timeoutMs: number): Promise<Before> {
		const document = server.documents.get(path);
		// A file that did not exist had no problems.
		if (!document) return { path, text: "", diagnostics: [] };
		const options = { signal: this.#signal, timeoutMs };
		const found = await server.diagnostics.of(document, options).catch(ignoreLsp);
		const diagnostics = found ?? (server.diagnostics.isSilentAbout(path) ? [] : undefined);
		return { path, text: document.text.text, diagnostics };
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
