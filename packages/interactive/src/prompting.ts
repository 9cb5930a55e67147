/** What becomes of a text that is sent: a command, a shell command, a prompt, or a message that waits. */
import { pasteMarker, pastesIn, type Editor, type Marker } from "@tau/tui";
import { log, oneLine } from "@tau/utils";
import type { CommandFields, CommandResult, Phase, SessionClient } from "@tau/wire";

import { readMentions, type Mentions } from "@tau/session-commands/shared/attachments";
import type { Dialogs } from "./host.ts";
import { imagesIn, type Images } from "./images.ts";
import { limits } from "./limits.ts";
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
	editor: Editor;
	images: Images;
	client: SessionClient;
	/** Whether images are described for models that do not see them. */
	describesImages(): boolean;
	shell: UserCommands;
	/** Returns whether the text was a command. */
	command(text: string): boolean;
	notify(text: string, level: "info" | "warning" | "error"): void;
	select: Dialogs["select"];
	/** The directories whose files a prompt may attach; paths are relative to the first. */
	roots(): readonly string[];
	/** Stores a prompt or a command for later sessions. */
	remember(text: string): void;
}

export class Prompting {
	readonly #parts: PromptingParts;
	#reading: Promise<void> = Promise.resolve();
	/** What was sent last: if it is refused later, it comes back. */
	#sent: string | undefined;

	constructor(parts: PromptingParts) {
		this.#parts = parts;
	}

	/** Sends what was written; while an answer is given, it steers it or waits for its end. */
	async submit(text: string, markers: readonly Marker[], lane: "steer" | "followUp"): Promise<void> {
		const { editor, shell, command } = this.#parts;
		if (text === "" && markers.length === 0) return;
		editor.addToHistory(text, markers);
		const bang = /^(!!?)\s*(\S[\s\S]*)$/.exec(text);
		const cell = cellIn(text);
		// Secrets are passed to programs in many forms that no mask knows.
		if (!bang && !cell) this.#parts.remember(text);
		if (command(text)) return;
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

	/** Asks about a text after `$` that is probably not Python. Returns whether it is not a prompt. */
	async #isTakenFrom(text: string, markers: readonly Marker[]): Promise<boolean> {
		const doubt = doubtIn(text);
		if (!doubt) return false;
		const { editor, shell, select } = this.#parts;
		const { code, looksLike } = doubt;
		const python = { value: "python", label: "Run it as Python" };
		const prompt = { value: "prompt", label: "Send it to the model" };
		const command = { value: "shell", label: `Run the command: !${oneLine(code, limits.lineChars)}` };
		const isCommand = looksLike === "shell" && !code.includes("\n");
		const choices = isCommand ? [command, prompt, python] : [prompt, python];
		const title = `This does not look like Python:\n${oneLine(text, limits.lineChars)}`;
		const choice = await select(title, choices);
		if (choice === "prompt") return false;
		if (choice === "python") await shell.run(code, false, "python");
		else if (choice === "shell") await shell.run(code, false);
		else if (editor.getText() === "") editor.setText(text, markers);
		return true;
	}

	/** Reads the images and files that a text refers to. */
	async #attach(text: string, markers: readonly Marker[]): Promise<WrittenPrompt> {
		const pasted = await imagesIn(markers);
		const mentioned = text.includes("@") ? await readMentions(text, this.#parts.roots()) : nothing;
		for (const problem of [...pasted.problems, ...mentioned.problems]) this.#parts.notify(problem, "error");
		const { id, input } = this.#parts.client.view.facts.model;
		const isSeen = input.includes("image") || this.#parts.describesImages();
		if (mentioned.images.length > 0 && !isSeen)
			this.#parts.notify(`${id} does not support images; see /model, or set modelRoles.vision.`, "warning");
		const images = [...pasted.images, ...mentioned.images];
		const pastes = pastesIn(text, markers).map(({ expansion }) => expansion);
		return {
			text: [...mentioned.texts, text].join("\n\n"),
			...(pastes.length > 0 ? { pastes } : {}),
			...(images.length > 0 ? { images } : {}),
			...(mentioned.texts.length > 0 ? { userText: text, invocation: text } : {}),
		};
	}

	/** Submits a prompt; what the session rejects goes back to the editor. */
	async send(prompt: WrittenPrompt, lane: "steer" | "followUp" = "steer"): Promise<void> {
		const { client, notify } = this.#parts;
		const { text, images, pastes, userText, invocation } = prompt;
		this.#sent = text;
		try {
			await client.request("prompt", {
				message: text,
				streamingBehavior: lane,
				...(images ? { images: [...images] } : {}),
				...(pastes ? { pastes: [...pastes] } : {}),
				...(userText === undefined ? {} : { userText }),
				...(invocation === undefined ? {} : { invocation }),
			});
		} catch (error) {
			notify(reasonOf(error), "error");
			this.onRefused(text);
		}
	}

	/** A prompt was not run after all. */
	onRefused(text: string): void {
		const { editor } = this.#parts;
		if (text !== this.#sent || editor.getText() !== "") return;
		this.#sent = undefined;
		editor.setText(text);
	}

	/** Moves the newest queued message back to the editor. Returns whether there was one. */
	dequeueLast(): boolean {
		const { steering, followUp } = this.#parts.client.view.facts.queue;
		if (steering.length + followUp.length === 0) return false;
		void this.#do("dequeue_last", {}, ({ message }) => this.#giveBack(message ? [message] : []));
		return true;
	}

	/** Cancels the answer, pending work and the user's commands. No queued message is lost. */
	stop(): boolean {
		const { facts, live } = this.#parts.client.view;
		if (!isWorking(facts.phase) && !facts.isCompacting && live.commands.length === 0) return false;
		void this.#do("clear_queue", {}, ({ messages }) => this.#giveBack(messages));
		void this.#do("abort", { scope: "all" });
		return true;
	}

	async #do<T extends "dequeue_last" | "clear_queue" | "abort">(
		type: T,
		fields: CommandFields<T>,
		then?: (result: CommandResult<T>) => void,
	): Promise<void> {
		try {
			const result = await this.#parts.client.request(type, fields);
			then?.(result);
		} catch (error) {
			log.warn("a command failed", { command: type, reason: reasonOf(error) });
			this.#parts.notify(reasonOf(error), "error");
		}
	}

	#giveBack(messages: readonly Queued[]): void {
		const { editor, images } = this.#parts;
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
			editor.insertMarker(images.fromMessage(image));
	}
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

const nothing: Mentions = { texts: [], images: [], problems: [] };
