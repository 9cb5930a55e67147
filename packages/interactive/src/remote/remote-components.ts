/** Shows what extensions draw where the session is, on the screen of this process. */
import { Container, matchesKey, type KeyId, type OverlayHandle, type OverlayOptions } from "@tau/tui";
import { log, stripControls, timer } from "@tau/utils";
import type {
	CommandFields,
	ComponentAct,
	ComponentBoard,
	ComponentView,
	Entry,
	SessionClient,
	WireMessage,
} from "@tau/wire";

import type { Attention } from "../attention.ts";
import { limits } from "../limits.ts";
import { liveEditorTheme, type Screen } from "../screen.ts";
import type { FindMessageRenderer, FindRenderer } from "../tool-view.ts";
import { themeData } from "../surfaces/theme-of.ts";
import { RemoteBlocks } from "./remote-blocks.ts";
import { RemoteEditor } from "./remote-editor.ts";
import { RemoteRows, type RemoteRowsHost } from "./remote-rows.ts";

/** The part of the interactive mode that is needed here. */
export interface RemoteHost {
	status(key: string, text: string | undefined): void;
	setTitle(title: string | undefined): void;
	readonly attention: Pick<Attention, "waits">;
	redrawSession(): void;
}

interface Shown {
	readonly rows: RemoteRows;
	close(): void;
	/** Of the terminal of a command. */
	stepBack?(): void;
	readonly overlay?: { readonly handle: OverlayHandle; readonly options: OverlayOptions };
}

/** The session in another process: what it draws comes in frames. */
export interface ComponentClient extends Pick<SessionClient, "request" | "view"> {
	readonly components: ComponentBoard;
	onConnected(listener: (isConnected: boolean) => void): Disposable;
}

export class RemoteComponents implements Disposable {
	readonly #screen: Screen;
	readonly #client: ComponentClient;
	readonly #owned = new DisposableStack();
	readonly #blocks: RemoteBlocks;
	readonly #places = { aboveEditor: new Container(), belowEditor: new Container() };
	readonly #around = new Map<ComponentView["slot"], RemoteRows>();
	/** In place of the editor, and over everything, by their ids. */
	readonly #shown = new Map<string, Shown>();
	/** Left by the user; the other end may not know yet. */
	readonly #left = new Set<string>();
	readonly #statuses = new Set<string>();
	#host: RemoteHost | undefined;
	#editor: RemoteEditor | undefined;
	/** What of the conversation is drawn elsewhere, as far as it was ever known. */
	#drawn = new Set<string>();
	readonly #first = Promise.withResolvers<void>();
	#isExpanded = false;
	#hasTitle = false;

	constructor(screen: Screen, client: ComponentClient) {
		this.#screen = screen;
		this.#client = client;
		const { components } = client;
		this.#blocks = this.#owned.use(
			new RemoteBlocks({
				get tools() {
					return components.values.tools;
				},
				get messages() {
					return components.values.messages;
				},
				draw: (request) => this.#send("draw_blocks", request),
				setExpanded: (expanded) => this.#setExpanded(expanded),
				redraw: () => screen.tui.requestRender(),
			}),
		);
	}

	readonly findRenderer: FindRenderer = (name) => this.#blocks.renderer(name);
	readonly findMessageRenderer: FindMessageRenderer = (type) => this.#blocks.messageRenderer(type);

	/** From now on the session draws for this screen. Resolves when it has, or does not do so at once. */
	async start(): Promise<void> {
		const { tui, theme, above, below } = this.#screen;
		above.addChild(this.#places.aboveEditor);
		below.addChild(this.#places.belowEditor);
		this.#owned.use(this.#client.components.onChange((acts) => this.#show(acts)));
		this.#owned.use(theme.onChange(() => this.#describe()));
		this.#owned.defer(tui.onResize(() => this.#describe()));
		this.#owned.defer(tui.addInputListener((data) => this.#shortcut(data)));
		this.#owned.use(this.#client.onConnected((isConnected) => this.#onConnected(isConnected)));
		this.#describe();
		using _ = timer(limits.firstComponentsMs, () => this.#first.resolve());
		await this.#first.promise;
	}

	/** The conversation is drawn by this mode now. */
	showOn(host: RemoteHost): void {
		this.#host = host;
		this.#showValues();
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
		for (const { close } of this.#shown.values()) close();
		this.#shown.clear();
	}

	/** Everything that the other end has drawn is gone with the connection. */
	#onConnected(isConnected: boolean): void {
		if (!isConnected) return this.#client.components.clear();
		this.#describe();
		this.#blocks.reset();
	}

	#setExpanded(expanded: boolean): void {
		if (expanded === this.#isExpanded) return;
		this.#isExpanded = expanded;
		this.#describe();
	}

	#describe(): void {
		const { terminal, theme } = this.#screen;
		this.#send("show_components", {
			columns: Math.max(1, terminal.columns),
			rows: Math.max(1, terminal.rows),
			theme: themeData(theme.current),
			expandTools: this.#isExpanded,
			hyperlinks: terminal.features?.hyperlinks ?? false,
		});
	}

	#send<T extends ComponentCommand>(type: T, fields: CommandFields<T>): void {
		const asked = this.#client.request(type, fields);
		const failed = (error: unknown): void =>
			log.debug("what extensions draw could not be asked for", { type, reason: String(error) });
		void asked.catch(failed).then(() => this.#first.resolve());
	}

	/** Keys of extensions work while the editor has the focus, as in the terminal of the session. */
	#shortcut(data: string): { consume: boolean } | undefined {
		if (data.length === 1 && data >= " " && data !== "\x7f") return undefined;
		const { slot, tui } = this.#screen;
		if (slot.hasGuest || tui.hasOverlay() || this.#editor) return undefined;
		const { shortcuts } = this.#client.components.values;
		if (!shortcuts.some((key) => matchesKey(data, key as KeyId))) return undefined;
		slot.expectRequest();
		this.#send("component_key", { data });
		return { consume: true };
	}

	#show(acts: readonly ComponentAct[]): void {
		const { views } = this.#client.components;
		const all = [...views.values()];
		const one = (slot: ComponentView["slot"]): ComponentView | undefined =>
			all.find((view) => view.slot === slot);
		this.#screen.header.set(this.#placed(one("header"), "header"));
		this.#screen.footer.set(this.#placed(one("footer"), "footer"));
		for (const place of ["aboveEditor", "belowEditor"] as const) {
			const rows = this.#placed(one(place), place);
			this.#places[place].clear();
			if (rows) this.#places[place].addChild(rows);
		}
		this.#showEditor(one("editor"));
		this.#showGuests(all.filter(({ slot }) => slot === "custom" || slot === "overlay"));
		this.#blocks.take(views);
		this.#showValues();
		this.#showDrawn();
		for (const act of acts) this.#act(act);
		this.#screen.tui.requestRender();
	}

	/** What is around the editor; an extension may give it the keys. */
	#placed(view: ComponentView | undefined, place: ComponentView["slot"]): RemoteRows | undefined {
		const { tui, slot } = this.#screen;
		const before = this.#around.get(place);
		if (view && before) before.view = view;
		const rows = view && (before ?? this.#rowsOf(view));
		if (rows) this.#around.set(place, rows);
		else this.#around.delete(place);
		const hasKeys = before !== undefined && tui.getFocusedComponent() === before;
		if (view?.isFocused === true && rows && !hasKeys) tui.setFocus(rows);
		else if (view?.isFocused !== true && hasKeys) tui.setFocus(slot.current);
		return rows;
	}

	#rowsOf(view: ComponentView): RemoteRows {
		return new RemoteRows(view, this.#rowsHost(view.id));
	}

	#rowsHost(id: string): RemoteRowsHost {
		return {
			key: (data) => this.#send("component_key", { data, componentId: id }),
			hint: (text) => this.#screen.theme.current.fg("accent", text),
			stepBack: () => this.#shown.get(id)?.stepBack?.(),
			leave: () => {
				this.#left.add(id);
				this.#close(id);
				this.#send("leave_component", { componentId: id });
			},
		};
	}

	#showEditor(view: ComponentView | undefined): void {
		const { editor, tui, theme } = this.#screen;
		if (view && this.#editor) return this.#editor.take(view);
		if (!view) {
			if (this.#editor) editor.setReplacement(undefined);
			this.#editor = undefined;
			return;
		}
		const host = {
			key: (data: string) => this.#send("component_key", { data }),
			text: (text: string) => this.#send("component_text", { text }),
		};
		this.#editor = new RemoteEditor(tui, liveEditorTheme(theme), host, view);
		editor.setReplacement(this.#editor);
	}

	#showGuests(views: readonly ComponentView[]): void {
		const ids = new Set(views.map(({ id }) => id));
		for (const id of this.#left) if (!ids.has(id)) this.#left.delete(id);
		for (const id of this.#shown.keys()) if (!ids.has(id)) this.#close(id);
		for (const view of views) {
			const shown = this.#shown.get(view.id);
			if (shown) update(shown, view);
			else if (!this.#left.has(view.id)) this.#shown.set(view.id, this.#open(view));
		}
	}

	#open(view: ComponentView): Shown {
		const { slot, tui } = this.#screen;
		const rows = this.#rowsOf(view);
		if (view.isTerminal) {
			this.#host?.attention.waits("A command has opened a terminal.");
			return { rows, ...slot.show(rows, { isRequest: true, takesText: true }) };
		}
		if (view.slot === "custom") return { rows, close: slot.show(rows).close };
		const options = { ...placeOf(view), nonCapturing: view.isFocused !== true };
		const handle = tui.showOverlay(rows, options);
		return { rows, close: () => handle.hide(), overlay: { handle, options } };
	}

	#close(id: string): void {
		this.#shown.get(id)?.close();
		this.#shown.delete(id);
	}

	#showValues(): void {
		const { values } = this.#client.components;
		const { status } = this.#screen;
		for (const key of this.#statuses) if (!(key in values.statuses)) this.#setStatus(key, undefined);
		for (const [key, text] of Object.entries(values.statuses)) this.#setStatus(key, text);
		if (values.title !== undefined || this.#hasTitle) this.#host?.setTitle(values.title);
		this.#hasTitle = values.title !== undefined;
		status.words = values.working === undefined ? undefined : oneLine(values.working);
		status.isHidden = values.isWorkingHidden === true;
		status.indicator = values.indicator && {
			frames: values.indicator.frames.length > 0 ? values.indicator.frames : [""],
			intervalMs: Math.max(1, values.indicator.intervalMs),
		};
		this.#screen.thinkingLabel =
			values.thinkingLabel === undefined ? undefined : oneLine(values.thinkingLabel);
	}

	/** What this screen has drawn itself, because it did not know better yet, is drawn again. */
	#showDrawn(): void {
		const { tools, messages } = this.#client.components.values;
		const added = [...tools, ...messages].filter((name) => !this.#drawn.has(name));
		for (const name of added) this.#drawn.add(name);
		const { entries } = this.#client.view.tail;
		if (this.#host && entries.some((entry) => names(entry).some((name) => added.includes(name))))
			this.#host.redrawSession();
	}

	#setStatus(key: string, text: string | undefined): void {
		if (text === undefined) this.#statuses.delete(key);
		else this.#statuses.add(key);
		this.#host?.status(`extension ${key}`, text);
	}

	#act(act: ComponentAct): void {
		const { editor } = this.#screen;
		if (act.type === "set_text") editor.setText(act.text);
		else if (act.type === "paste") editor.handleInput(`\x1b[200~${act.text}\x1b[201~`);
		else this.#editor?.act(act);
	}
}

type ComponentCommand =
	"show_components" | "draw_blocks" | "component_key" | "component_text" | "leave_component";

/** The tools that an entry calls, and the kind of a message of an extension. */
function names({ customType, message }: Entry): string[] {
	if (typeof customType === "string") return [customType];
	// An entry with a message has one of the conversation.
	const answer = message as WireMessage | undefined;
	if (answer?.role !== "assistant") return [];
	return answer.content.flatMap((part) => (part.type === "toolCall" ? [part.name] : []));
}

function update({ rows, overlay }: Shown, view: ComponentView): void {
	const hadFocus = rows.view.isFocused === true;
	rows.view = view;
	if (!overlay) return;
	// The engine reads them in each frame.
	Object.assign(overlay.options, placeOf(view));
	if (view.isFocused === true && !hadFocus) overlay.handle.focus();
	else if (view.isFocused !== true && hadFocus) overlay.handle.unfocus();
}

function placeOf({ at, width }: ComponentView): OverlayOptions {
	return { row: at?.row ?? 0, col: at?.column ?? 0, width };
}

function oneLine(text: string): string {
	return stripControls(text, { newline: false });
}
