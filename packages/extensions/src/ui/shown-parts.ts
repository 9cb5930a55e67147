/** What extensions show now, kept to draw it for terminals that attach later. */
import { onDispose } from "@tau/utils";

import type {
	ComponentFactory,
	EditorFactory,
	ExtensionUI,
	FooterFactory,
	WidgetPlacement,
	WorkingIndicatorOptions,
} from "./types.ts";

export interface ShownWidget {
	readonly content: string[] | ComponentFactory;
	readonly placement: WidgetPlacement;
}

/** What has changed: a widget by its key, another component, or a text that the screen itself draws; `all`: the extensions. */
export type ShownChange =
	| { readonly part: "widget"; readonly key: string }
	| { readonly part: "footer" | "header" | "editor" | "values" | "all" };

export class ShownParts {
	readonly statuses = new Map<string, string>();
	readonly widgets = new Map<string, ShownWidget>();
	footer: FooterFactory | undefined;
	header: ComponentFactory | undefined;
	editor: EditorFactory | undefined;
	title: string | undefined;
	working: string | undefined;
	isWorkingHidden = false;
	indicator: WorkingIndicatorOptions | undefined;
	thinkingLabel: string | undefined;
	readonly #listeners = new Set<(change: ShownChange) => void>();

	onChange(listener: (change: ShownChange) => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** The extensions are others now. */
	reset(): void {
		this.statuses.clear();
		this.widgets.clear();
		this.footer = this.header = this.editor = undefined;
		this.title = this.working = this.indicator = this.thinkingLabel = undefined;
		this.isWorkingHidden = false;
		this.#emit({ part: "all" });
	}

	/** The calls of a user interface that show something until it is replaced. */
	recorder(): Pick<ExtensionUI, RecordedCall> {
		const values = (change: () => void): void => {
			change();
			this.#emit({ part: "values" });
		};
		return {
			setStatus: (key, text) =>
				values(() => void (text === undefined ? this.statuses.delete(key) : this.statuses.set(key, text))),
			setWidget: (key, content, { placement = "aboveEditor" } = {}) => {
				if (content === undefined) this.widgets.delete(key);
				else this.widgets.set(key, { content, placement });
				this.#emit({ part: "widget", key });
			},
			setFooter: (factory) => {
				this.footer = factory;
				this.#emit({ part: "footer" });
			},
			setHeader: (factory) => {
				this.header = factory;
				this.#emit({ part: "header" });
			},
			setEditorComponent: (factory) => {
				this.editor = factory;
				this.#emit({ part: "editor" });
			},
			setTitle: (title) => values(() => void (this.title = title)),
			setWorkingMessage: (message) => values(() => void (this.working = message)),
			setWorkingVisible: (visible) => values(() => void (this.isWorkingHidden = !visible)),
			setWorkingIndicator: (options) => values(() => void (this.indicator = options)),
			setHiddenThinkingLabel: (label) => values(() => void (this.thinkingLabel = label)),
		};
	}

	#emit(change: ShownChange): void {
		for (const listener of this.#listeners) listener(change);
	}
}

type RecordedCall =
	| "setStatus"
	| "setWidget"
	| "setFooter"
	| "setHeader"
	| "setEditorComponent"
	| "setTitle"
	| "setWorkingMessage"
	| "setWorkingVisible"
	| "setWorkingIndicator"
	| "setHiddenThinkingLabel";
