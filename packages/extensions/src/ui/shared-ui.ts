/** The user interface of a session with several screens: that of this process, and attached terminals. */
import type { ShownParts } from "./shown-parts.ts";
import type { ExtensionUI, NotifyType } from "./types.ts";

/** An attached terminal. */
export type UIPlace = Pick<
	ExtensionUI,
	"custom" | "setEditorText" | "getEditorText" | "pasteToEditor" | "theme"
>;

export interface UIPlaces {
	readonly shown: ShownParts;
	/** The attached terminal whose user caused the current action: it shows what needs a screen. */
	acting(): UIPlace | undefined;
	/** The screen that is being drawn: a theme requested without a name has its colors. */
	drawing(): UIPlace | undefined;
	/** Notifies the attached terminal that acted, and all other clients; false if no attached terminal acted. */
	notify(message: string, type: NotifyType | undefined): boolean;
	/** Called when a component could not be shown anywhere. */
	onUnseen(): void;
}

/** What is set is kept for all places; what takes the keys goes to the one that acted. `isScreen`: `base` can draw. */
export function sharedUI(base: ExtensionUI, places: UIPlaces, isScreen: boolean): ExtensionUI {
	const { shown } = places;
	const place = (): UIPlace | ExtensionUI => places.acting() ?? base;
	const recorder = shown.recorder();
	const own: Partial<ExtensionUI> = {
		async custom(factory, options) {
			const acting = places.acting();
			if (!acting && !isScreen) places.onUnseen();
			return await (acting ?? base).custom(factory, options);
		},
		notify(message, type) {
			if (!places.notify(message, type)) base.notify(message, type);
		},
		setEditorText: (text) => place().setEditorText(text),
		getEditorText: () => place().getEditorText(),
		pasteToEditor: (text) => place().pasteToEditor(text),
		getEditorComponent: () => shown.editor,
	};
	return new Proxy(base, {
		get(target, name) {
			if (name === "theme") return (places.drawing() ?? places.acting() ?? base).theme;
			const replaced: unknown = Reflect.get(own, name);
			if (replaced !== undefined) return replaced;
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member !== "function") return member;
			const record: unknown = Reflect.get(recorder, name);
			if (typeof record !== "function") return member.bind(target);
			return (...args: unknown[]): unknown => {
				// The screen first: an error of a factory is the caller's, and nothing is kept of what failed.
				const result: unknown = Reflect.apply(member, target, args);
				Reflect.apply(record, recorder, args);
				return result;
			};
		},
	});
}
