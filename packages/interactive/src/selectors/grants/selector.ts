/** Lists what the user has allowed for a session or a project, where it comes from and how often it was used. */
import { getKeybindings, keyHint, rawKeyHint } from "@tau/tui";
import type { GrantInfo } from "@tau/wire";

import { elapsed, plural } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";

export interface GrantsSelectorParts {
	grants(): readonly GrantInfo[];
	now(): number;
	revoke(grant: GrantInfo): Promise<void>;
	close(): void;
}

export function grantsSelector(screen: PickerScreen, parts: GrantsSelectorParts): Picker<GrantInfo> {
	const { grants, now, revoke, close } = parts;
	return new Picker<GrantInfo>(screen, {
		title: "Allowed by you",
		hasSearch: false,
		items: () => grants(),
		idOf: ({ id }) => id,
		row: ({ rule, scope, uses }, width, theme) =>
			row(
				plain(rule),
				[
					{
						text: scope,
						width: 8,
						paint: (text) => theme.fg(scope === "project" ? "accent" : "muted", text),
					},
					{
						text: plural(uses, "use", "uses"),
						width: 9,
						align: "right",
						paint: (text) => theme.fg("dim", text),
					},
				],
				width,
			),
		about: ({ tool, agent, grantedAt, lastUsedAt }, _width, theme) => {
			const used = lastUsedAt === undefined ? "not used yet" : `last used ${elapsed(now() - lastUsedAt)} ago`;
			const text = `allowed ${elapsed(now() - grantedAt)} ago for ${agent}, when it called ${tool}; ${used}`;
			return [theme.fg("muted", plain(text))];
		},
		aboutRows: 1,
		empty: () => "No saved approvals",
		hints: (theme) => [keyHint(theme, "app.grants.revoke", "revoke"), rawKeyHint(theme, "escape", "close")],
		onKey(data, grant) {
			if (!grant || !getKeybindings().matches(data, "app.grants.revoke")) return false;
			void revoke(grant);
			return true;
		},
		onConfirm: () => {},
		onCancel: close,
	});
}
