/** What becomes of a text that is sent: a command, a shell command, a prompt, or a message that waits. */
import type { AgentMessage } from "@tau/agent";
import type { ImageContent } from "@tau/ai";
import type { Editor, Marker } from "@tau/tui";

import type { AgentSession, Prompt } from "../../session/index.ts";
import type { Conversation } from "../shared/conversation.ts";
import { imagesIn, type Images } from "./images.ts";
import type { PersonShell } from "./person-shell.ts";

export interface PromptingParts {
	editor: Editor;
	images: Images;
	conversation: Conversation;
	session(): AgentSession;
	shell: PersonShell;
	/** Says whether the text was a command. */
	command(text: string): boolean;
	notify(text: string, level: "info" | "warning" | "error"): void;
	/** Something is about to be said. */
	onPrompt(): void;
}

export class Prompting {
	readonly #parts: PromptingParts;

	constructor(parts: PromptingParts) {
		this.#parts = parts;
	}

	/** Sends what was written; while an answer is given, it steers it or waits for its end. */
	async submit(text: string, markers: readonly Marker[], lane: "steer" | "followUp"): Promise<void> {
		const { editor, shell, command } = this.#parts;
		if (text === "" && markers.length === 0) return;
		editor.addToHistory(text);
		if (command(text)) return;
		const bang = /^(!!?)\s*(\S[\s\S]*)$/.exec(text);
		if (bang) return shell.run(bang[2] ?? "", bang[1] === "!!");
		const { images, problems } = await imagesIn(markers);
		for (const problem of problems) this.#parts.notify(problem, "error");
		await this.say(images.length > 0 ? { text, images } : { text }, lane);
	}

	async say(prompt: Prompt, lane: "steer" | "followUp" = "steer"): Promise<void> {
		const { conversation, session, onPrompt } = this.#parts;
		await conversation.settled();
		if (conversation.isBusy) {
			if (lane === "steer") session().steer(prompt);
			else session().followUp(prompt);
			return;
		}
		onPrompt();
		await conversation.accept(prompt);
		conversation.begin();
	}

	/** Gives the newest waiting message back to the editor. Says whether there was one. */
	takeBack(): boolean {
		const message = this.#parts.session().takeBack();
		if (message) this.#giveBack([message]);
		return message !== undefined;
	}

	/** Ends the answer, what is awaited and the commands of the person. Nothing that waits is lost. */
	stop(): boolean {
		const { conversation, session, shell } = this.#parts;
		if (!conversation.isBusy && !session().isCompacting && !shell.isRunning) return false;
		this.#giveBack(session().clearQueues());
		session().abort();
		void shell.stop();
		return true;
	}

	#giveBack(messages: readonly AgentMessage[]): void {
		const { editor, images } = this.#parts;
		if (messages.length === 0) return;
		const written = editor.getExpandedText();
		const texts = [...messages.map(textOf), written].filter((text) => text.trim() !== "");
		editor.setText(texts.join("\n\n"));
		for (const image of messages.flatMap(imagesOf)) editor.insertMarker(images.fromMessage(image));
	}
}

function textOf(message: AgentMessage): string {
	if (message.role !== "user") return "";
	if (typeof message.content === "string") return message.content;
	return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function imagesOf(message: AgentMessage): ImageContent[] {
	if (message.role !== "user" || typeof message.content === "string") return [];
	return message.content.filter((part) => part.type === "image");
}
