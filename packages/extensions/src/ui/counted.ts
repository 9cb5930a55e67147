/** The user interface in the name of one extension: while a dialog of it is open, its handlers are not late. */
import { ownedBy, runAs } from "@tau/utils";

import type { DialogKind } from "../api/event-types.ts";
import type { Extension } from "../api/extension.ts";
import type { ExtensionUI } from "./types.ts";

/** The kind of dialog that is reported for each method. */
const dialogs: ReadonlyMap<string | symbol, DialogKind> = new Map<string, DialogKind>([
	["select", "select"],
	["confirm", "confirm"],
	["input", "input"],
	["editor", "editor"],
	["askDialog", "custom"],
	["custom", "custom"],
]);

/** Methods that take a function which creates a component or handles keys. */
const takesComponents: ReadonlySet<string | symbol> = new Set([
	"custom",
	"setWidget",
	"setFooter",
	"setHeader",
	"onTerminalInput",
]);

/** Called when a dialog opens and when it closes. */
type OnDialog = (
	type: "ui_prompt_start" | "ui_prompt_end",
	kind: DialogKind,
	title: string | undefined,
) => void;

const made = new WeakMap<Extension, { of: ExtensionUI; ui: ExtensionUI }>();

export function countedUI(of: ExtensionUI, extension: Extension, onDialog: OnDialog): ExtensionUI {
	const known = made.get(extension);
	if (known?.of === of) return known.ui;
	const ui = new Proxy(of, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member !== "function") return member;
			const kind = dialogs.get(name);
			if (!takesComponents.has(name) && kind === undefined) return member.bind(target);
			const { label } = extension;
			if (kind === undefined)
				return (...args: unknown[]): unknown =>
					Reflect.apply(
						member,
						target,
						args.map((arg) => inNameOf(label, arg)),
					);
			return async (...given: unknown[]): Promise<unknown> => {
				const args = takesComponents.has(name) ? given.map((arg) => inNameOf(label, arg)) : given;
				const title = typeof args[0] === "string" ? args[0] : undefined;
				extension.openDialogs++;
				onDialog("ui_prompt_start", kind, title);
				try {
					return await Reflect.apply(member, target, args);
				} finally {
					extension.openDialogs--;
					onDialog("ui_prompt_end", kind, title);
				}
			};
		},
	});
	made.set(extension, { of, ui });
	return ui;
}

/** A function of the extension that Tau calls later: it runs in the extension's name, and so does what it creates. */
function inNameOf(label: string, arg: unknown): unknown {
	if (typeof arg !== "function") return arg;
	return (...args: unknown[]): unknown => {
		const result: unknown = runAs(label, "render", () => Reflect.apply(arg, undefined, args));
		return result instanceof Promise
			? result.then((component: unknown) => ownedBy(label, component))
			: ownedBy(label, result);
	};
}
