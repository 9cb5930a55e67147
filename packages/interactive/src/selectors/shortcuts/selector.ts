/** Lists all keys of the application and the editor, with search. */
import { fuzzyFilter } from "@tau/sys";
import {
	formatKeyText,
	rawKeyHint,
	TUI_KEYBINDINGS,
	type Keybinding,
	type KeybindingsManager,
} from "@tau/tui";

import { appActions } from "../../keys.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { InteractiveHost } from "../../host.ts";
import { openSelector } from "../open.ts";

interface KeyRow {
	readonly action: Keybinding;
	readonly keys: string;
	readonly what: string;
}

const editorActions = Object.keys(TUI_KEYBINDINGS).filter(
	(id) => !id.startsWith("tui.select."),
) as Keybinding[];

export function openShortcuts(
	host: Pick<InteractiveHost, "theme" | "tui" | "showInEditor">,
	keys: KeybindingsManager,
): void {
	const rows = [...appActions, ...editorActions].flatMap((action): KeyRow[] => {
		const shown = keys.getKeys(action).map(formatKeyText).join(", ");
		return shown === ""
			? []
			: [{ action, keys: shown, what: keys.getDefinition(action).description ?? action }];
	});
	openSelector(host, (screen, close) => ({
		component: new Picker<KeyRow>(screen, {
			title: "Keys",
			items: (search) => fuzzyFilter(rows, search, (each) => `${each.keys} ${each.what} ${each.action}`),
			idOf: ({ action }) => action,
			row: (each, width, theme) =>
				row(each.what, [{ text: each.keys, width: 22, paint: (text) => theme.fg("accent", text) }], width),
			about: ({ action }, _, theme) => [theme.fg("dim", `${action} in keybindings.yml`)],
			aboutRows: 1,
			empty: (search) => `No key matches "${plain(search)}"`,
			hints: (theme) => [rawKeyHint(theme, "escape", "close")],
			onConfirm: close,
			onCancel: close,
		}),
	}));
}
