/** The user interface in the name of one extension: while a dialog of it is open, its handlers are not late. */
import type { Extension } from "../extension.ts";
import type { ExtensionUI } from "./types.ts";

const dialogs: ReadonlySet<string | symbol> = new Set(["select", "confirm", "input", "editor", "custom"]);

const made = new WeakMap<Extension, { of: ExtensionUI; ui: ExtensionUI }>();

export function countedUI(of: ExtensionUI, extension: Extension): ExtensionUI {
	const known = made.get(extension);
	if (known?.of === of) return known.ui;
	const ui = new Proxy(of, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member !== "function") return member;
			if (!dialogs.has(name)) return member.bind(target);
			return async (...given: unknown[]): Promise<unknown> => {
				extension.openDialogs++;
				try {
					return await Reflect.apply(member, target, given);
				} finally {
					extension.openDialogs--;
				}
			};
		},
	});
	made.set(extension, { of, ui });
	return ui;
}
