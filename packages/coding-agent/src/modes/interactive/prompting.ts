/** What becomes of a text that is sent: a command, a shell command, a prompt, or a message that waits. */
import type { AgentMessage } from "@tau/agent";
import type { ImageContent } from "@tau/ai";
import { pasteMarker, pastesIn, type Editor, type Marker } from "@tau/tui";
import { pastesOf, userTextOf, type Prompt } from "@tau/session";
import type { SessionHost } from "@tau/session/host";

import { oneLine } from "@tau/utils";

import { readMentions, type Mentions } from "../shared/attachments.ts";
import type { Dialogs } from "./host.ts";
import { imagesIn, type Images } from "./images.ts";
import { limits } from "./limits.ts";
import { cellIn, doubtIn } from "./typed-cell.ts";
import type { UserCommands } from "./user-commands.ts";

export interface PromptingParts {
	editor: Editor;
	images: Images;
	host: SessionHost;
	shell: UserCommands;
	/** Returns whether the text was a command. */
	command(text: string): boolean;
	notify(text: string, level: "info" | "warning" | "error"): void;
	select: Dialogs["select"];
	/** The directories whose files a prompt may attach; paths are relative to the first. */
	roots(): readonly string[];
	/** Stores a prompt or a command for later sessions. */
	remember(text: string): void;
	/** Called before a prompt is sent. */
	onPrompt(): void;
}

export class Prompting {
	readonly #parts: PromptingParts;
	#reading: Promise<void> = Promise.resolve();

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
	async #attach(text: string, markers: readonly Marker[]): Promise<Prompt> {
		const pasted = await imagesIn(markers);
		const mentioned = text.includes("@") ? await readMentions(text, this.#parts.roots()) : nothing;
		for (const problem of [...pasted.problems, ...mentioned.problems]) this.#parts.notify(problem, "error");
		const { session, settings } = this.#parts.host;
		const { id, input } = session.model;
		const isDescribed = settings.get("modelRoles").vision !== undefined;
		if (mentioned.images.length > 0 && !input.includes("image") && !isDescribed)
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
	async send(prompt: Prompt, lane: "steer" | "followUp" = "steer"): Promise<void> {
		const { host, onPrompt, editor, notify } = this.#parts;
		const admission = await host.submit(prompt, {
			as: lane,
			onAdmitted: ({ kind }) => {
				if (kind === "begun") onPrompt();
			},
		});
		const giveBack = (): void => {
			if (editor.getText() === "") editor.setText(prompt.text);
		};
		if (admission.kind === "begun") {
			const { refused } = await admission.done;
			if (refused !== undefined) giveBack();
		}
		if (admission.kind !== "refused") return;
		notify(admission.reason, "error");
		giveBack();
	}

	/** Moves the newest queued message back to the editor. Returns whether there was one. */
	dequeueLast(): boolean {
		const message = this.#parts.host.session.dequeueLast();
		if (message) this.#giveBack([message]);
		return message !== undefined;
	}

	/** Cancels the answer, pending work and the user's commands. No queued message is lost. */
	stop(): boolean {
		const { host } = this.#parts;
		// Also between two runs of one prompt, which extensions and queued messages prolong.
		const isRunning = host.isBusy || host.session.isAnswering || host.session.isCompacting;
		if (!isRunning && !host.isShellRunning) return false;
		this.#giveBack(host.session.clearQueues());
		void host.stop();
		return true;
	}

	#giveBack(messages: readonly AgentMessage[]): void {
		const { editor, images, host } = this.#parts;
		// What no user wrote, such as the end of a job, is left for the model to read with the next prompt.
		for (const message of messages) if (message.role !== "user") host.record(message);
		if (!messages.some(({ role }) => role === "user")) return;
		const written = editor.getExpandedText();
		const texts = [...messages.map(userTextOf), written].filter((text) => text.trim() !== "");
		const pastes = [
			...messages.flatMap(pastesOf),
			...pastesIn(written, editor.getMarkers()).map(({ expansion }) => expansion),
		];
		editor.setText(
			texts.join("\n\n"),
			pastes.map((text, at) => pasteMarker(text, at + 1)),
		);
		for (const image of messages.flatMap(imagesOf)) editor.insertMarker(images.fromMessage(image));
	}
}

const nothing: Mentions = { texts: [], images: [], problems: [] };

function imagesOf(message: AgentMessage): ImageContent[] {
	if (message.role !== "user" || typeof message.content === "string") return [];
	return message.content.filter((part) => part.type === "image");
}
