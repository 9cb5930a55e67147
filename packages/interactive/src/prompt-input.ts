/** Connects the editor: its text is sent, its keys act, and what is not sent yet is saved. */
import { pasteMarker } from "@tau/tui";
import { pastesOf, userTextOf, type WireMessage } from "@tau/wire";

import { workDirectories } from "@tau/session-commands/shared/attachments";
import { actionsFor } from "./actions.ts";
import { completionFor } from "./completion.ts";
import type { InteractiveHost } from "./host.ts";
import { Images } from "./images.ts";
import { actionParts, writeOutside } from "./key-work.ts";
import { PromptDrafts } from "./prompt-drafts.ts";
import { PromptHistory } from "./prompt-history.ts";
import { Prompting, type WrittenPrompt } from "./prompting.ts";
import type { Screen } from "./screen.ts";
import type { StatusModel } from "./status-model.ts";
import type { UserCommands } from "./user-commands.ts";

export interface PromptInputParts {
	host: InteractiveHost;
	screen: Screen;
	status: StatusModel;
	shell: UserCommands;
	draftsDir: string;
	historyDir: string;
	/** Runs a slash command. Returns whether the text was one. */
	command(text: string): boolean;
	/** Called for each text that is sent, before it is. */
	onSubmit(text: string): void;
	/** Called at each change of the text. */
	onKey(): void;
}

export const isExit = (text: string): boolean => /^\/(?:exit|quit|q)$/.test(text);

type Markers = Parameters<Prompting["submit"]>[1];

export class PromptInput implements Disposable {
	readonly #parts: PromptInputParts;
	readonly #images: Images;
	readonly #drafts: PromptDrafts;
	readonly #history: PromptHistory;
	readonly #prompting: Prompting;
	#session: string | undefined;
	/** The text of an earlier session is in the editor. */
	isRestored = false;

	constructor(parts: PromptInputParts) {
		const { host, screen, shell, draftsDir, historyDir } = parts;
		this.#parts = parts;
		this.#images = new Images(host.cwd);
		this.#drafts = new PromptDrafts({ directory: draftsDir, cwd: host.cwd });
		this.#history = new PromptHistory({ directory: historyDir, cwd: () => host.cwd });
		this.#prompting = new Prompting({
			editor: screen.editor,
			images: this.#images,
			client: host.client,
			describesImages: () => host.settings.get("modelRoles").vision !== undefined,
			shell,
			command: parts.command,
			notify: (text, level) => host.notify(text, level),
			select: (title, choices) => host.ask.select(title, choices),
			roots: () => workDirectories(host.cwd, host.settings),
			remember: (text) => {
				// A session that leaves no file leaves no prompts either, and nobody looks for how they left.
				if (!isExit(text) && host.client.view.facts.session.file !== undefined) this.#history.add(text);
			},
		});
		this.#connect();
	}

	/** Sends a prompt of the command line or of a command. */
	async send(prompt: WrittenPrompt, lane?: "steer" | "followUp"): Promise<void> {
		await this.#prompting.send(prompt, lane);
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

	/** A prompt was accepted and could not be run: its text comes back. */
	onRefused(text: string): void {
		this.#prompting.onRefused(text);
	}

	/** Sends what was typed before the session was ready. */
	async sendEarly(): Promise<void> {
		for (const { text, markers } of this.#parts.screen.early.splice(0))
			await this.#prompting.submit(text, markers, "followUp");
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
				prompting: this.#prompting,
				followUp: () => this.#followUp(),
				runCommand: (name) => command(`/${name}`),
				keepStash: (text) => this.#drafts.setStashed(text),
			}),
		);
		editor.onSubmit = (text, markers = []) => this.#submit(text, markers, "steer");
		editor.onChange = () => this.#written();
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

	#submit(text: string, markers: Markers, lane: "steer" | "followUp"): void {
		const { screen, onSubmit } = this.#parts;
		onSubmit(text);
		this.#drafts.set("");
		this.#drafts.flush();
		this.#prompting
			.submit(text, markers, lane)
			.catch((error: unknown) => screen.trouble("Your message", error));
	}

	#written(): void {
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
		this.#submit(text, markers, "followUp");
	}
}
