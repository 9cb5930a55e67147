/** Print mode and JSON mode: each prompt is one run of the real program, which continues the same session. */
import { join } from "node:path";

import type { Client, ClientName, ClientSession, OpenOptions, SessionEventFrame, Stats } from "../client.ts";
import { latestLog, until, type Home } from "../home.ts";
import type { Running } from "../../support/launch.ts";

const started = "reads its prompts from the command line before it starts";

const lacks: Client["lacks"] = {
	queue: started,
	agents: started,
	answer: "has nobody who could answer: it runs for scripts",
	settings: `${started}; the settings of a run are its flags`,
	shell: "has no command line for the user besides the shell that it is started from",
	background: started,
	retry: started,
	rewind: `${started}; tau sessions restore does it afterwards`,
	context: started,
	staysOpen: "ends with the answer, and its background jobs with it",
	switchTools: started,
	rename: `${started}; --name names the session`,
	new: "is a new session whenever no session is named",
	compact: started,
	sideBySide: "is one session per process",
};

function batchClient(name: ClientName, modeArgs: readonly string[], own: Client["lacks"] = {}): Client {
	return {
		name,
		lacks: { ...lacks, ...own },
		open: async (home, options) => new BatchSession(home, modeArgs, options),
	};
}

const quiet = "prints the last answer alone";

export const print = batchClient("print", [], { events: quiet, stats: quiet });
export const json = batchClient("json", ["--mode", "json"]);

interface Usage {
	input: number;
	output: number;
}

interface EndedMessage {
	role: string;
	usage?: Usage;
}

class BatchSession implements ClientSession {
	readonly #home: Home;
	readonly #modeArgs: readonly string[];
	/** Additional arguments for the next run. */
	#session: readonly string[];
	#next: readonly string[];
	readonly #always: readonly string[];
	readonly #runs: Running[] = [];
	/** True if the session of the last run is not known yet. */
	#isNew = false;

	constructor(home: Home, modeArgs: readonly string[], options: OpenOptions = {}) {
		const { resume, model = resume === undefined ? "played/played-1" : undefined, withoutTools } = options;
		this.#home = home;
		this.#modeArgs = modeArgs;
		this.#session = resume === undefined ? [] : ["--session", resume];
		this.#next = model === undefined ? [] : ["--model", model];
		this.#always = withoutTools ? ["--exclude-tools", withoutTools.join(",")] : [];
	}

	get events(): readonly SessionEventFrame[] {
		const lines = this.#runs.flatMap((run) => run.output().out.split("\n"));
		return lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as SessionEventFrame] : []));
	}

	async prompt(text: string): Promise<void> {
		await this.submit(text);
		await this.idle();
	}

	async submit(text: string): Promise<void> {
		await this.idle();
		const args = ["-p", ...this.#modeArgs, ...this.#session, ...this.#next, ...this.#always, text];
		this.#runs.push(this.#home.start(args));
		this.#next = [];
		this.#isNew = true;
	}

	async idle(): Promise<void> {
		await this.#runs.at(-1)?.finished;
		const file = latestLog(this.#home);
		if (this.#isNew && file !== undefined) this.#session = ["--session", file];
		this.#isNew = false;
	}

	async setModel(id: string): Promise<void> {
		this.#next = [...this.#next, "--model", id];
	}

	async setThinking(level: string): Promise<void> {
		this.#next = [...this.#next, "--thinking", level];
	}

	setName(): Promise<void> {
		return unavailable("rename");
	}

	async abort(): Promise<void> {
		this.#runs.at(-1)?.process.kill("SIGINT");
		await this.#runs.at(-1)?.finished;
	}

	async newSession(): Promise<void> {
		this.#session = [];
	}

	async resume(file: string): Promise<void> {
		this.#session = ["--session", file];
	}

	async fork(): Promise<void> {
		this.#session = ["--fork", await this.file()];
	}

	async exported(): Promise<string> {
		const target = join(this.#home.project, "exported.html");
		await this.#home.run(["sessions", "export", await this.file(), target]);
		return await Bun.file(target).text();
	}

	async file(): Promise<string> {
		await until("a log is written", () => latestLog(this.#home) !== undefined);
		return latestLog(this.#home) ?? "";
	}

	shownText(): string {
		return this.#runs.map((run) => run.output().err + run.output().out).join("");
	}

	queue(): Promise<void> {
		return unavailable("queue");
	}

	setSetting(): Promise<void> {
		return unavailable("settings");
	}

	switchOff(): Promise<void> {
		return unavailable("switchTools");
	}

	shell(): Promise<void> {
		return unavailable("shell");
	}

	retry(): Promise<void> {
		return unavailable("retry");
	}

	rewind(): Promise<void> {
		return unavailable("rewind");
	}

	dropResult(): Promise<void> {
		return unavailable("context");
	}

	aside(): Promise<void> {
		return unavailable("context");
	}

	background(): Promise<void> {
		return unavailable("background");
	}

	answer(): Promise<void> {
		return unavailable("answer");
	}

	promptAgent(): Promise<void> {
		return unavailable("agents");
	}

	answerListed(): Promise<void> {
		return unavailable("answer");
	}

	compact(): Promise<void> {
		return unavailable("compact");
	}

	/** The totals that a client computes from the events. */
	async stats(): Promise<Stats> {
		const ended = this.events.filter(({ type }) => type === "message_end");
		const messages = ended.map(({ message }) => message as EndedMessage);
		const answers = messages.filter(({ role }) => role === "assistant");
		const sum = (of: (usage: Usage) => number): number =>
			answers.reduce((total, { usage }) => total + (usage ? of(usage) : 0), 0);
		return {
			userMessages: messages.filter(({ role }) => role === "user").length,
			assistantMessages: answers.length,
			inputTokens: sum(({ input }) => input),
			outputTokens: sum(({ output }) => output),
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const run of this.#runs) {
			run.process.kill("SIGKILL");
			await run.finished;
		}
	}
}

/** A promise that needs the capability is not checked with this client. */
async function unavailable(capability: keyof typeof lacks): Promise<never> {
	throw new Error(`A batch client ${lacks[capability]}`);
}
