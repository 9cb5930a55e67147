/** Interactive mode: the real program in a pty, driven by keys and read back from a terminal emulator. */
import { join } from "node:path";

import { Unsupported } from "../client.ts";
import type { Client, ClientSession, Lane, OpenOptions, SessionEventFrame, Stats } from "../client.ts";
import { latestLog, logEntries, logFiles, projectFile, until, type Home } from "../home.ts";
import { openTau, type OpenTau } from "../../interactive/driver.ts";

export const interactive: Client = {
	name: "interactive",
	lacks: {
		events: "shows the session on the screen",
		sideBySide: "is one session per process",
	},
	async open(home, options) {
		const session = new InteractiveSession(home, await openTerminal(home, options));
		await session.ready();
		return session;
	},
};

async function openTerminal(home: Home, options: OpenOptions = {}): Promise<OpenTau> {
	const { resume, model = resume === undefined ? "played/played-1" : undefined, withoutTools } = options;
	const args = [
		...(model === undefined ? [] : ["--model", model]),
		...(resume === undefined ? [] : ["--session", resume]),
		...(withoutTools ? ["--exclude-tools", withoutTools.join(",")] : []),
	];
	return openTau({ steps: [] }, { home, args, anyModel: true, cols: 120, rows: 50 });
}

/** The mark in the terminal's title while something runs. */
const busy = "●";
/** Begins the sequence that sets the title. */
const titleStart = "\x1b]0;";
/** Marks the selected row of a list. */
const selected = "❯";

interface LoggedMessage {
	role?: string;
	stopReason?: string;
	command?: string;
}

class InteractiveSession implements ClientSession {
	readonly #home: Home;
	readonly #tau: OpenTau;
	readonly events: readonly SessionEventFrame[] = [];

	constructor(home: Home, tau: OpenTau) {
		this.#home = home;
		this.#tau = tau;
	}

	/** The footer names the model when prompts are accepted. */
	async ready(): Promise<void> {
		await this.#tau.until(/played-\d/);
	}

	/** The title says whether something runs; the log says that it was this prompt. */
	async prompt(text: string): Promise<void> {
		const tau = this.#tau;
		const before = this.#userMessages();
		const from = this.#isBusy() ? 0 : tau.bytes.length;
		await this.submit(text);
		await this.#until("the run begins", () => tau.bytes.includes(`${busy} τ`, from));
		await this.#until(
			"the prompt is answered",
			() => this.#userMessages() > before && (this.#isAnswered() || this.#isExhausted()),
		);
		await this.idle();
	}

	async submit(text: string): Promise<void> {
		this.#tau.type(`${text}\r`);
	}

	async idle(): Promise<void> {
		await this.#until("nothing runs", () => !this.#isBusy());
	}

	async queue(text: string, lane: Lane, refusal?: string): Promise<void> {
		this.#tau.type(text);
		this.#tau.press(lane === "steer" ? "enter" : "altEnter");
		// Queued messages are shown in a row after the name of their lane.
		const row = new RegExp(`^ [A-Z][A-Za-z -]*:\\s+${RegExp.escape(text)}`, "m");
		await this.#tau.until(refusal ?? row);
	}

	async promptAgent(id: string, text: string, refusal?: string): Promise<void> {
		const tau = this.#tau;
		await this.submit("/agents");
		await tau.until(new RegExp(`── Agents[^]*${id} `));
		tau.type("\x13");
		await tau.until(`Message to ${id}`);
		tau.type(`${text}\r`);
		// The line of the list stays while handlers and hooks take their time; that of the conversation does not.
		if (refusal === undefined) await tau.untilGone(`Message to ${id}`);
		else await tau.until(refusal);
		for (const title of [`Message to ${id}`, "── Agents"]) {
			if (!tau.screen().includes(title)) continue;
			tau.press("escape");
		}
	}

	async setModel(id: string): Promise<void> {
		await this.submit(`/model ${id}`);
		const [, name = id] = id.split("/");
		await this.#until("the footer names the model", () => this.#footer().includes(name));
	}

	async setThinking(level: string): Promise<void> {
		await this.submit(`/thinking ${level}`);
		await this.#until("the footer names the level", () => this.#footer().includes(level));
	}

	async setName(name: string): Promise<void> {
		await this.submit(`/name ${name}`);
		await this.#until("the log has the name", () => this.#entries().some((entry) => entry.name === name));
	}

	async setSetting(path: string, value: boolean | number | string): Promise<void> {
		const tau = this.#tau;
		await this.submit(`/settings ${path}`);
		await tau.until(`${path} · from`);
		// The tab before the first one: changes apply to this session only.
		tau.press("shiftTab");
		await tau.until("This session");
		tau.press("enter");
		if (typeof value === "number") {
			await tau.until("enter submit");
			tau.type(`\x15${value}\r`);
		} else if (typeof value === "string") {
			await this.#choose(new RegExp(`^${RegExp.escape(value)}$`));
			tau.press("enter");
		}
		await tau.until(`Set ${path} to ${value} for this session`);
		await this.#closeList("Settings");
	}

	async switchOff(tool: string): Promise<void> {
		await this.submit("/tools");
		await this.#tau.until("── Tools");
		this.#tau.type(tool);
		await this.#tau.until(`${selected} ● ${tool}`);
		this.#tau.press("enter");
		await this.#tau.until(`${selected} ○ ${tool}`);
		await this.#closeList("Tools");
	}

	async shell(command: string): Promise<void> {
		await this.submit(`!${command}`);
		await this.#until("the command has ended", () =>
			this.#messages().some((message) => message.role === "bashExecution" && message.command === command),
		);
	}

	async retry(): Promise<void> {
		const from = this.#tau.bytes.length;
		await this.submit("/retry");
		await this.#until("the run begins", () => this.#tau.bytes.includes(`${busy} τ`, from));
		await this.idle();
	}

	async rewind(): Promise<void> {
		await this.submit("/rewind");
		await this.#tau.until("Rewind to before a message");
		this.#tau.press("enter");
		await this.#tau.until("What should be restored?");
		this.#tau.press("enter");
		await this.#tau.until("Restored");
		// The message is in the editor again.
		this.#tau.type("\x15");
	}

	async dropResult(word: string): Promise<void> {
		await this.submit("/context");
		await this.#tau.until("── Context:");
		this.#tau.type(`Tool results`);
		await this.#tau.until(new RegExp(`❯ Tool results[^]*${word}`));
		this.#tau.press("down");
		await this.#tau.until("ctrl+d drop");
		this.#tau.type("\x04");
		await this.#tau.until(new RegExp(`✗ .*${word}`));
		this.#tau.press("escape", "escape");
		await this.#tau.untilGone("── Context:");
	}

	async aside(question: string, answer: string): Promise<void> {
		await this.submit(`/btw ${question}`);
		await this.#tau.until(new RegExp(`── By the way[^]*${answer}[^]*esc close`));
		this.#tau.press("escape");
		await this.#tau.untilGone("By the way");
	}

	async background(): Promise<void> {
		this.#tau.type("\x02");
		await this.#tau.until("in the background");
	}

	async answer(option: RegExp): Promise<void> {
		// A dialog that opens right after a key waits for its own key; one that has the keys already ignores it.
		await this.#tau.until(/to answer|to select/);
		this.#tau.press("ctrlX");
		await this.#choose(option);
		this.#tau.press("enter");
	}

	answerListed(): Promise<void> {
		throw new Unsupported("the screen shows requests one after the other");
	}

	async compact(): Promise<void> {
		await this.submit("/compact");
	}

	async abort(): Promise<void> {
		this.#tau.press("escape");
		await this.idle();
	}

	async newSession(): Promise<void> {
		await this.submit("/new");
		await this.#tau.until(/new session/i);
	}

	async resume(file: string): Promise<void> {
		const first = logEntries(file).find(({ message }) => Object(message).role === "user");
		const words = String(Object(first?.message).content);
		await this.submit("/resume");
		await this.#tau.until("── Sessions");
		this.#tau.type(words);
		await this.#tau.until(new RegExp(`${selected}.*${RegExp.escape(words)}`));
		this.#tau.press("enter");
		await this.#tau.untilGone("── Sessions");
	}

	async fork(): Promise<void> {
		await this.submit("/fork");
		await this.#tau.until(`${selected} The whole session`);
		this.#tau.press("enter");
		await this.#tau.until("Forked.");
	}

	async stats(): Promise<Stats> {
		await this.submit("/session");
		const shown = /messages\s+(\d+)\D+(\d+)[^]*tokens\s+(\d+) input, (\d+) output/;
		await this.#tau.until(shown);
		const [, user, assistant, input, output] = (shown.exec(this.#tau.screen()) ?? []).map(Number);
		return {
			userMessages: user ?? NaN,
			assistantMessages: assistant ?? NaN,
			inputTokens: input ?? NaN,
			outputTokens: output ?? NaN,
		};
	}

	async exported(): Promise<string> {
		const target = join(this.#home.project, "exported.html");
		await this.submit(`/export ${target}`);
		await this.#until("the export is written", () =>
			projectFile(this.#home, "exported.html").includes("</html>"),
		);
		return projectFile(this.#home, "exported.html");
	}

	async file(): Promise<string> {
		await until("a log is written", () => latestLog(this.#home) !== undefined);
		return latestLog(this.#home) ?? "";
	}

	shownText(): string {
		return this.#tau.title + this.#tau.scrollback();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#tau[Symbol.asyncDispose]();
	}

	#entries(): ReturnType<typeof logEntries> {
		const file = latestLog(this.#home);
		return file === undefined ? [] : logEntries(file);
	}

	/** Those of all sessions: a prompt may start another one. */
	#userMessages(): number {
		const all = logFiles(this.#home).flatMap(messagesIn);
		return all.filter(({ role }) => role === "user").length;
	}

	/** A run whose budget is spent ends without an answer. */
	#isExhausted(): boolean {
		return this.#tau.screen().includes("is used up");
	}

	#isAnswered(): boolean {
		const { role, stopReason } = this.#messages().at(-1) ?? {};
		return role === "assistant" && stopReason !== "toolUse";
	}

	#messages(): LoggedMessage[] {
		const file = latestLog(this.#home);
		return file === undefined ? [] : messagesIn(file);
	}

	#footer(): string {
		return this.#tau.screen().split("\n").at(-1) ?? "";
	}

	/** By the last title that was sent: the emulator reads it later than `bytes` has it. */
	#isBusy(): boolean {
		const { bytes } = this.#tau;
		return bytes.startsWith(busy, bytes.lastIndexOf(titleStart) + titleStart.length);
	}

	/** Shows the screen when it waits in vain. */
	async #until(what: string, holds: () => boolean): Promise<void> {
		try {
			await until(what, holds);
		} catch (error) {
			throw new Error(`${String(error)}. The screen:\n${this.#tau.screen()}`, { cause: error });
		}
	}

	/** Goes down in a list until the option is selected. */
	async #choose(option: RegExp): Promise<void> {
		const labels = (): string[] => this.#tau.screen().split("\n").map(labelOf);
		await this.#tau.untilDrawn(() => labels().some((label) => option.test(label)), `offered ${option}`);
		while (!option.test(labelOf(selectedRow(this.#tau.screen()) ?? ""))) {
			const before = selectedRow(this.#tau.screen());
			this.#tau.press("down");
			await this.#tau.untilDrawn(() => selectedRow(this.#tau.screen()) !== before, "selected another row");
		}
	}

	async #closeList(title: string): Promise<void> {
		// The first Escape clears the search, the second one closes the list.
		this.#tau.press("escape", "escape");
		await this.#tau.untilGone(`── ${title}`);
	}
}

function messagesIn(file: string): LoggedMessage[] {
	return logEntries(file).flatMap(({ message }) => (message ? [message as LoggedMessage] : []));
}

/** The text of a row without its marks. */
function labelOf(row: string): string {
	return row.replace(/^[\s❯●○]+(?:\d\. )?/, "").trim();
}

function selectedRow(screen: string): string | undefined {
	// The mark of the user's own messages above the list is the same.
	return screen.split("\n").findLast((row) => row.includes(selected));
}
