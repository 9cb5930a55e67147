/** pi's dialogs in which something is written, for extensions that open one themselves. */
import {
	Container,
	DynamicBorder,
	Editor,
	Input,
	Spacer,
	Text,
	getKeybindings,
	type EditorHost,
	type EditorOptions,
	type Focusable,
	type KeybindingsManager,
} from "@tau/tui";
import { oneLine, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";
import { getEditorTheme, rawKeyHint } from "./theming.ts";
import { screenTheme } from "../support/screen-theme.ts";

/** A title between lines, and space for the content of the dialog. */
class Framed extends Container {
	constructor(title: string) {
		super();
		this.addChild(new DynamicBorder((text) => screenTheme().fg("border", text)));
		const shown = oneLine(title, limits.titleChars);
		this.addChild(new Text(screenTheme().fg("accent", screenTheme().bold(shown)), 1, 0));
		this.addChild(new Spacer(1));
	}

	protected close(hint: string): void {
		this.addChild(new Spacer(1));
		this.addChild(new Text(hint, 1, 0));
		this.addChild(new DynamicBorder((text) => screenTheme().fg("border", text)));
	}
}

export class ExtensionInputComponent extends Framed implements Focusable {
	readonly #input = new Input();
	readonly #timer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		title: string,
		_placeholder: string | undefined,
		onSubmit: (value: string) => void,
		onCancel: () => void,
		{ timeout }: { timeout?: number } = {},
	) {
		super(title);
		this.#input.onSubmit = onSubmit;
		this.#input.onEscape = onCancel;
		this.addChild(this.#input);
		this.close(`${rawKeyHint("enter", "submit")}  ${rawKeyHint("esc", "cancel")}`);
		if (timeout !== undefined && timeout > 0) this.#timer = setTimeout(onCancel, timeout);
	}

	get focused(): boolean {
		return this.#input.focused;
	}

	set focused(value: boolean) {
		this.#input.focused = value;
	}

	handleInput(data: string): void {
		this.#input.handleInput(data);
	}

	dispose(): void {
		clearTimeout(this.#timer);
	}
}

export class ExtensionEditorComponent extends Framed implements Focusable {
	readonly #editor: Editor;
	readonly #onCancel: () => void;

	constructor(
		tui: EditorHost,
		_keybindings: KeybindingsManager | undefined,
		title: string,
		prefill: string | undefined,
		onSubmit: (value: string) => void,
		onCancel: () => void,
		options: EditorOptions = {},
	) {
		super(title);
		this.#onCancel = onCancel;
		this.#editor = new Editor(tui, getEditorTheme(), options);
		if (prefill !== undefined) this.#editor.setText(prefill);
		this.#editor.onSubmit = (text) => onSubmit(text);
		this.addChild(this.#editor);
		this.close(`${rawKeyHint("enter", "submit")}  ${rawKeyHint("esc", "cancel")}`);
	}

	get focused(): boolean {
		return this.#editor.focused;
	}

	set focused(value: boolean) {
		this.#editor.focused = value;
	}

	handleInput(data: string): void {
		if (getKeybindings().matches(data, "tui.select.cancel") && !this.#editor.wantsEscape()) this.#onCancel();
		else this.#editor.handleInput(data);
	}
}

export class LoginDialogComponent extends Framed implements Focusable {
	readonly #tui: Pick<EditorHost, "requestRender">;
	readonly #abort = new AbortController();
	readonly #onComplete: (success: boolean, message?: string) => void;
	#input: Input | undefined;

	constructor(
		tui: Pick<EditorHost, "requestRender">,
		providerId: string,
		onComplete: (success: boolean, message?: string) => void,
		providerName: string = providerId,
		title: string = `Log in to ${providerName}`,
	) {
		super(title);
		this.#tui = tui;
		this.#onComplete = onComplete;
	}

	get focused(): boolean {
		return this.#input?.focused ?? false;
	}

	set focused(value: boolean) {
		if (this.#input) this.#input.focused = value;
	}

	/** Aborted when the user cancels. */
	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	showAuth(url: string, instructions?: string): void {
		this.#show(screenTheme().fg("accent", stripControls(url)));
		if (instructions !== undefined) this.#show(stripControls(instructions));
	}

	showManualInput(prompt: string): Promise<string> {
		return this.showPrompt(prompt);
	}

	/** Rejects when the user cancels. */
	showPrompt(message: string, _placeholder?: string): Promise<string> {
		this.#show(stripControls(message));
		const { promise, resolve, reject } = Promise.withResolvers<string>();
		const input = new Input();
		input.focused = true;
		input.onSubmit = resolve;
		this.signal.addEventListener("abort", () => reject(new Error("The login was cancelled.")), {
			once: true,
		});
		this.#input = input;
		this.addChild(input);
		this.#tui.requestRender();
		return promise;
	}

	/** pi's newer versions pass a message with links, older ones lines. */
	showInfo(
		message: string | readonly string[],
		links: readonly { url: string; label?: string }[] = [],
	): void {
		this.showDetails([message].flat());
		for (const { url, label } of links)
			this.#show(screenTheme().fg("accent", stripControls(label === undefined ? url : `${label}: ${url}`)));
	}

	showDetails(lines: readonly string[]): void {
		for (const line of lines) this.#show(stripControls(line));
	}

	showDeviceCode({ userCode, verificationUri }: { userCode: string; verificationUri: string }): void {
		this.showAuth(verificationUri, `Enter the code ${userCode}`);
	}

	showWaiting(message: string): void {
		this.#show(screenTheme().fg("muted", stripControls(message)));
	}

	showProgress(message: string): void {
		this.#show(screenTheme().fg("dim", stripControls(message)));
	}

	handleInput(data: string): void {
		if (!getKeybindings().matches(data, "tui.select.cancel")) return this.#input?.handleInput(data);
		this.#abort.abort();
		this.#onComplete(false, "The login was cancelled.");
	}

	#show(text: string): void {
		this.addChild(new Text(text, 1, 0));
		this.#tui.requestRender();
	}
}
