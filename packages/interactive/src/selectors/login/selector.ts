/** Lets the user choose a provider to log in to, or a login to delete. */
import { keyHint, rawKeyHint } from "@tau/tui";

import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";
import { fittingOffers, keyPageText, keyProblem, type StoredLogin, type Offer } from "./offers.ts";

export interface LoginSelectorParts {
	/** Filled in when they are known. */
	offers(): readonly Offer[];
	search?: string;
	logIn(offer: Offer): void | Promise<void>;
	/** Rejects with the reason why the key cannot be stored. */
	keepKey(offer: Offer, key: string): Promise<void>;
	close(): void;
}

export function loginSelector(screen: PickerScreen, parts: LoginSelectorParts): Picker<Offer> {
	const { offers, logIn, keepKey, close } = parts;
	const picker = new Picker<Offer>(screen, {
		title: "Log in or add an API key",
		...(parts.search === undefined ? {} : { search: parts.search }),
		items: (search) => fittingOffers(offers(), search),
		idOf: ({ kind, provider }) => `${kind} ${provider}`,
		row: ({ label, kind, state }, width, theme) =>
			row(
				plain(label),
				[
					{
						text: kind === "login" ? (makesKey(label) ? "API key" : "subscription") : "",
						width: 12,
						paint: (text) => theme.fg("dim", text),
					},
					{ text: plain(state), width: 22, paint: (text) => theme.fg("success", text) },
				],
				width,
			),
		empty: (search) => (search === "" ? "Reading…" : `No provider matches "${plain(search)}"`),
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "continue"),
			rawKeyHint(theme, "escape", "close"),
		],
		onConfirm: (offer) => {
			if (offer.kind === "login") return logIn(offer);
			picker.ask({
				label: `${plain(offer.label.replace(/: API key$/, ""))} API key (hidden)`,
				secret: true,
				about: keyPageText(offer),
				onSubmit: async (text) => {
					const key = text.trim();
					const wrong = keyProblem(key, limits.keyChars);
					if (wrong !== undefined) return wrong;
					await keepKey(offer, key);
					close();
					return undefined;
				},
			});
		},
		onCancel: close,
	});
	return picker;
}

/** Some logins end with a key that the provider makes for Tau. */
function makesKey(label: string): boolean {
	return label.includes("creates an API key");
}

export interface LogoutSelectorParts {
	logins(): readonly StoredLogin[];
	forget(logins: StoredLogin): void;
	close(): void;
}

export function logoutSelector(
	screen: PickerScreen,
	{ logins, forget, close }: LogoutSelectorParts,
): Picker<StoredLogin> {
	const picker = new Picker<StoredLogin>(screen, {
		title: "Remove stored credentials",
		hasSearch: false,
		items: logins,
		idOf: ({ provider }) => provider,
		row: ({ label, what }, width, theme) =>
			row(plain(label), [{ text: plain(what), width: 24, paint: (text) => theme.fg("dim", text) }], width),
		empty: () => "No credentials are stored",
		hints: (theme) => [keyHint(theme, "tui.select.confirm", "remove"), rawKeyHint(theme, "escape", "close")],
		onConfirm: (one) => {
			picker.confirm(`Remove ${plain(one.label)}?`, () => {
				forget(one);
				close();
			});
		},
		onCancel: close,
	});
	return picker;
}
