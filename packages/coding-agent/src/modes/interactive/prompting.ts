/** What becomes of a text that is sent: a command, a shell command, a prompt, or a message that waits. */
import type { AgentMessage } from "@tau/agent";
import type { ImageContent } from "@tau/ai";
import type { Editor, Marker } from "@tau/tui";
import { writtenIn, type AgentSession, type Prompt } from "@tau/session";
import type { Conversation } from "@tau/session/run";

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
	#saying: Promise<void> = Promise.resolve();

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
		if (isPython(text)) return this.#keepForPython(text);
		const { images, problems } = await imagesIn(markers);
		for (const problem of problems) this.#parts.notify(problem, "error");
		await this.say(images.length > 0 ? { text, images } : { text }, lane);
	}

	#keepForPython(text: string): void {
		const { editor, notify } = this.#parts;
		notify(
			"A $ before code is kept for Python, which comes with a later version. Nothing was sent.",
			"warning",
		);
		if (editor.getText() === "") editor.setText(text);
	}

	/** One after the other: extensions may take their time over what is said first. */
	say(prompt: Prompt, lane: "steer" | "followUp" = "steer"): Promise<void> {
		const after = this.#saying;
		const saying = (async () => {
			await after;
			await this.#say(prompt, lane);
		})();
		this.#saying = saying.catch(() => {});
		return saying;
	}

	async #say(prompt: Prompt, lane: "steer" | "followUp"): Promise<void> {
		const { conversation, session, onPrompt } = this.#parts;
		await conversation.settled();
		const heard = conversation.isBusy ? await this.#heard(prompt, lane) : prompt;
		if (!heard) return;
		await conversation.settled();
		// The answer may have ended while extensions were asked.
		if (conversation.isBusy) {
			if (lane === "steer") session().steer(heard);
			else session().followUp(heard);
			return;
		}
		onPrompt();
		await conversation.accept(heard);
		conversation.begin();
	}

	/** What cannot be said goes back to the editor. */
	async #heard(prompt: Prompt, streamingBehavior: "steer" | "followUp"): Promise<Prompt | undefined> {
		const { editor, session, notify } = this.#parts;
		try {
			return await session().input({ ...prompt, streamingBehavior });
		} catch (error) {
			notify(error instanceof Error ? error.message : String(error), "error");
			if (editor.getText() === "") editor.setText(prompt.text);
			return undefined;
		}
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
		const texts = [...messages.map(writtenIn), written].filter((text) => text.trim() !== "");
		editor.setText(texts.join("\n\n"));
		for (const image of messages.flatMap(imagesOf)) editor.insertMarker(images.fromMessage(image));
	}
}

function imagesOf(message: AgentMessage): ImageContent[] {
	if (message.role !== "user" || typeof message.content === "string") return [];
	return message.content.filter((part) => part.type === "image");
}

/** Only what is code: a question about `$HOME` or $5 is a question. */
function isPython(text: string): boolean {
	return /^\$\s*(?:import\s|from\s+[\w.]+\s+import\s|[\w.]+\s*(?:=|\())/.test(text);
}
