/** What becomes of a text that is written: a command, a shell command, a prompt, or a message that waits. What is not sent yet is saved. */
import { pasteMarker, pastesIn, type Marker } from "@tau/tui";
import { log, oneLine } from "@tau/utils";
import {
	pastesOf,
	permits,
	userTextOf,
	type CommandFields,
	type CommandResult,
	type Phase,
	type WireMessage,
} from "@tau/wire";

import { readMentions, workDirectories, type Mentions } from "@tau/session-commands/shared/attachments";
import { actionsFor } from "./actions.ts";
import { readOnly } from "./commands/guest.ts";
import { completionFor } from "./completion.ts";
import type { InteractiveHost } from "./host.ts";
import { Images, imagesIn } from "./images.ts";
import { actionParts, writeOutside } from "./key-work.ts";
import { limits } from "./limits.ts";
import { PromptDrafts } from "./prompt-drafts.ts";
import { PromptHistory } from "./prompt-history.ts";
import type { Screen } from "./screen.ts";
import type { StatusModel } from "./status-model.ts";
import { cellIn, doubtIn } from "./typed-cell.ts";
import type { UserCommands } from "./user-commands.ts";

/** A prompt as the screen makes it. */
export interface WrittenPrompt {
	readonly text: string;
	readonly images?: readonly NonNullable<CommandFields<"prompt">["images"]>[number][] | undefined;
	readonly pastes?: readonly string[] | undefined;
	/** The end of the text, if only that is the user's. */
	readonly userText?: string | undefined;
	/** The typed text, if the text contains its expansion instead. */
	readonly invocation?: string | undefined;
}

type Queued = CommandResult<"clear_queue">["messages"][number];

/** Something is being done that Escape stops. */
const working: ReadonlySet<Phase> = new Set(["running", "retrying", "compacting", "settling"]);

export function isWorking(phase: Phase): boolean {
	return working.has(phase);
}

export interface PromptingParts {
	host: InteractiveHost;
	screen: Screen;
	status: StatusModel;
	shell: UserCommands;
	draftsDir: string;
	historyDir: string;
	/** Runs a slash command. Returns whether the text was one, which the session may have to answer first. */
	command(text: string): boolean | Promise<boolean>;
	/** Called for each text that is sent, before it is. */
	onSubmit(text: string): void;
	/** Called at each change of the text. */
	onKey(): void;
}

export const isExit = (text: string): boolean => /^\/(?:exit|quit|q)$/.test(text);

export class Prompting implements Disposable {
	readonly #parts: PromptingParts;
	readonly #images: Images;
	readonly #drafts: PromptDrafts;
	readonly #history: PromptHistory;
	#session: string | undefined;
	#reading: Promise<void> = Promise.resolve();
	/** What was sent last: if it is refused later, it comes back. */
	#sent: string | undefined;
	/** The text of an earlier session is in the editor. */
	isRestored = false;

	constructor(parts: PromptingParts) {
		const { host, draftsDir, historyDir } = parts;
		this.#parts = parts;
		this.#images = new Images(host.cwd);
		this.#drafts = new PromptDrafts({ directory: draftsDir, cwd: host.cwd });
		this.#history = new PromptHistory({
			directory: historyDir,
			cwd: () => host.cwd,
			session: () => sessionOf(host),
		});
		this.#connect();
	}

	/** Puts the prompts of the session that is shown into the history. */
	addPast(messages: readonly WireMessage[]): void {
		const { host, screen } = this.#parts;
		const session = host.client.view.facts.session.id;
		if (this.#session !== session) screen.editor.beginSession();
		this.#session = session;
		for (const message of messages) {
			if (message.role !== "user" || typeof message.content !== "string") continue;
			const pastes = pastesOf(message).map((text, at) => pasteMarker(text, at + 1));
			screen.editor.addToHistory(userTextOf(message), pastes, message.timestamp);
		}
	}

	/** Sends what was typed before the session was ready. */
	async sendEarly(): Promise<void> {
		for (const { text, markers } of this.#parts.screen.early.splice(0))
			await this.#submit(text, markers, "followUp");
	}

	[Symbol.dispose](): void {
		this.#drafts[Symbol.dispose]();
	}

	#connect(): void {
		const { host, screen, status, command } = this.#parts;
		const { editor } = screen;
		editor.onAction = actionsFor(
			actionParts({
				host,
				screen,
				status,
				images: this.#images,
				prompting: this,
				followUp: () => this.#followUp(),
				runCommand: (name) => command(`/${name}`) !== false,
				keepStash: (text) => this.#drafts.setStashed(text),
			}),
		);
		editor.onSubmit = (text, markers = []) => this.#written(text, markers, "steer");
		editor.onChange = () => this.#changed();
		editor.earlierPrompts = () =>
			this.#history
				.ofProject()
				.map(({ text }) => text)
				.toReversed();
		screen.history = this.#history;
		editor.onPasteText = (text) => this.#images.fromPastedPath(text);
		editor.onExternalEditor = (text) => writeOutside(host, text);
		editor.setAutocompleteProvider(completionFor(host));
		const left = this.#drafts.takeLeftOver();
		if (left === undefined || editor.getText() !== "") return;
		editor.setText(left);
		this.isRestored = true;
	}

	#written(text: string, markers: readonly Marker[], lane: "steer" | "followUp"): void {
		const { screen, onSubmit } = this.#parts;
		onSubmit(text);
		this.#drafts.set("");
		this.#drafts.flush();
		this.#submit(text, markers, lane).catch((error: unknown) => screen.trouble("Your message", error));
	}

	#changed(): void {
		const { screen, status, onKey } = this.#parts;
		onKey();
		status.dropFlash();
		this.#drafts.set(screen.editor.getExpandedText());
		status.showBorder(screen.editor.getText());
	}

	#followUp(): void {
		const { editor } = this.#parts.screen;
		const [text, markers] = [editor.getExpandedText().trim(), editor.getMarkers()];
		editor.setText("");
		this.#written(text, markers, "followUp");
	}

	/** Stores a prompt or a command for later sessions. */
	#remember(text: string): void {
		const { session } = this.#parts.host.client.view.facts;
		// A session that leaves no file leaves no prompts either, and nobody looks for how they left.
		if (!isExit(text) && session.file !== undefined) this.#history.add(text);
	}

	/** Sends what was written; while an answer is given, it steers it or waits for its end. */
	async #submit(text: string, markers: readonly Marker[], lane: "steer" | "followUp"): Promise<void> {
		const { screen, shell, command } = this.#parts;
		if (text === "" && markers.length === 0) return;
		screen.offer.hide();
		screen.editor.addToHistory(text, markers);
		const bang = /^(!!?)\s*(\S[\s\S]*)$/.exec(text);
		const cell = cellIn(text);
		// Secrets are passed to programs in many forms that no mask knows.
		if (!bang && !cell) this.#remember(text);
		if (await command(text)) return;
		if (this.#isHostOnly(bang !== null || cell !== undefined, text, markers)) return;
		if (bang) return shell.run(bang[2] ?? "", bang[1] === "!!");
		if (cell) return shell.run(cell.code, cell.isPrivate, cell.language);
		if (await this.#isTakenFrom(text, markers)) return;
		// One after the other: a prompt with a large file is not overtaken by the next one.
		const reading = this.#reading.then(() => this.#attach(text, markers));
		this.#reading = reading.then(
			() => {},
			() => {},
		);
		await this.send(await reading, lane);
	}

	/** A guest writes prompts, where its link allows that, and runs nothing on the host's machine. */
	#isHostOnly(isRun: boolean, text: string, markers: readonly Marker[]): boolean {
		const { host, screen } = this.#parts;
		const isReadOnly = !permits(host.client.me.rights, "prompt");
		if (!host.guest || (!isRun && !isReadOnly)) return false;
		host.notify(isReadOnly ? readOnly : "Commands and code are host-only during a collab session", "warning");
		if (screen.editor.getText() === "") screen.editor.setText(text, markers);
		return true;
	}

	/** Asks about a text after `$` that is probably not Python. Returns whether it is not a prompt. */
	async #isTakenFrom(text: string, markers: readonly Marker[]): Promise<boolean> {
		const doubt = doubtIn(text);
		if (!doubt) return false;
		const { host, screen, shell } = this.#parts;
		const { code, looksLike } = doubt;
		const python = { value: "python", label: "Run it as Python" };
		const prompt = { value: "prompt", label: "Send it to the model" };
		const command = { value: "shell", label: `Run the command: !${oneLine(code, limits.lineChars)}` };
		const isCommand = looksLike === "shell" && !code.includes("\n");
		const choices = isCommand ? [command, prompt, python] : [prompt, python];
		const title = `This does not look like Python:\n${oneLine(text, limits.lineChars)}`;
		const choice = await host.ask.select(title, choices);
		if (choice === "prompt") return false;
		if (choice === "python") await shell.run(code, false, "python");
		else if (choice === "shell") await shell.run(code, false);
		else if (screen.editor.getText() === "") screen.editor.setText(text, markers);
		return true;
	}

	/** Reads the images and files that a text refers to. */
	async #attach(text: string, markers: readonly Marker[]): Promise<WrittenPrompt> {
		const { host } = this.#parts;
		const pasted = await imagesIn(markers);
		const roots = workDirectories(host.cwd, host.settings);
		const mentioned = text.includes("@") && !host.guest ? await readMentions(text, roots) : nothing;
		const ofEditor = (await host.ide.mentions(text)) ?? nothing;
		for (const problem of [...pasted.problems, ...mentioned.problems, ...ofEditor.problems])
			host.notify(problem, "error");
		const { id, input } = host.client.view.facts.model;
		const isSeen = input.includes("image") || host.settings.get("modelRoles").vision !== undefined;
		if (mentioned.images.length > 0 && !isSeen)
			host.notify(`${id} does not support images; see /model, or set modelRoles.vision.`, "warning");
		const images = [...pasted.images, ...mentioned.images];
		const pastes = pastesIn(text, markers).map(({ expansion }) => expansion);
		const texts = [...mentioned.texts, ...ofEditor.texts];
		return {
			text: [...texts, text].join("\n\n"),
			...(pastes.length > 0 ? { pastes } : {}),
			...(images.length > 0 ? { images } : {}),
			...(texts.length > 0 ? { userText: text, invocation: text } : {}),
		};
	}

	/** Submits a prompt; what the session rejects goes back to the editor. */
	async send(prompt: WrittenPrompt, lane: "steer" | "followUp" = "steer"): Promise<void> {
		const { host } = this.#parts;
		const { text, images, pastes, userText, invocation } = prompt;
		this.#sent = text;
		try {
			await host.client.request("prompt", {
				message: text,
				streamingBehavior: lane,
				...(images ? { images: [...images] } : {}),
				...(pastes ? { pastes: [...pastes] } : {}),
				...(userText === undefined ? {} : { userText }),
				...(invocation === undefined ? {} : { invocation }),
			});
		} catch (error) {
			host.notify(reasonOf(error), "error");
			this.onRefused(text);
		}
	}

	/** A prompt was not run after all. */
	onRefused(text: string): void {
		const { editor } = this.#parts.screen;
		if (text !== this.#sent || editor.getText() !== "") return;
		this.#sent = undefined;
		editor.setText(text);
	}

	/** Moves the newest queued message back to the editor. Returns whether there was one. */
	dequeueLast(): boolean {
		const { steering, followUp } = this.#parts.host.client.view.facts.queue;
		if (steering.length + followUp.length === 0 || this.#parts.host.guest) return false;
		void this.#do("dequeue_last", {}, ({ message }) => this.#giveBack(message ? [message] : []));
		return true;
	}

	/** Cancels the answer, pending work and the user's commands. No queued message is lost. */
	stop(): boolean {
		const { facts, live } = this.#parts.host.client.view;
		if (!isWorking(facts.phase) && !facts.isCompacting && live.commands.length === 0) return false;
		// What others have queued is not a guest's to take.
		if (!this.#parts.host.guest) void this.#do("clear_queue", {}, ({ messages }) => this.#giveBack(messages));
		void this.#do("abort", { scope: "all" });
		return true;
	}

	async #do<T extends "dequeue_last" | "clear_queue" | "abort">(
		type: T,
		fields: CommandFields<T>,
		then?: (result: CommandResult<T>) => void,
	): Promise<void> {
		try {
			const result = await this.#parts.host.client.request(type, fields);
			then?.(result);
		} catch (error) {
			log.warn("a command failed", { command: type, reason: reasonOf(error) });
			this.#parts.host.notify(reasonOf(error), "error");
		}
	}

	#giveBack(messages: readonly Queued[]): void {
		const { editor } = this.#parts.screen;
		if (messages.length === 0) return;
		const written = editor.getExpandedText();
		const texts = [...messages.map(({ text }) => text), written].filter((text) => text.trim() !== "");
		const pastes = [
			...messages.flatMap((message) => message.pastes ?? []),
			...pastesIn(written, editor.getMarkers()).map(({ expansion }) => expansion),
		];
		editor.setText(
			texts.join("\n\n"),
			pastes.map((text, at) => pasteMarker(text, at + 1)),
		);
		for (const image of messages.flatMap((message) => message.images ?? []))
			editor.insertMarker(this.#images.fromMessage(image));
	}
}

function sessionOf({ client }: InteractiveHost): { id: string; name?: string } {
	const { id, name } = client.view.facts.session;
	return { id, ...(name === undefined ? {} : { name }) };
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

const nothing: Mentions = { texts: [], images: [], problems: [] };
