/** The login of an extension's provider, as the credential store runs and refreshes it. */
import type { LoginInteraction, NewCredential, OwnLogin } from "@tau/ai";
import { registerSecret } from "@tau/utils";

import type { OAuthCredentials, OAuthLoginCallbacks, ProviderOAuth } from "../api/provider-types.ts";

/** `onChange` receives the stored credentials in the extension's own format. */
export function ownLogin(
	provider: string,
	oauth: ProviderOAuth,
	onChange: (credentials: OAuthCredentials | undefined) => void,
): OwnLogin {
	return {
		provider,
		label: oauth.name,
		async login(interaction, signal) {
			const given = await oauth.login(callbacksFor(interaction, signal));
			// omp's providers may ask for a key instead.
			return typeof given === "string" ? { kind: "api_key", access: given } : kept(oauth, given);
		},
		async renew({ refresh }, signal) {
			const credentials = readKept(refresh);
			if (!credentials || !oauth.refreshToken) throw new Error(`${oauth.name}: the login has expired`);
			const renewed = await oauth.refreshToken(credentials, signal);
			return kept(oauth, { ...credentials, ...renewed });
		},
		onStored: (refresh) => onChange(readKept(refresh)),
	};
}

/** The extension's credentials are stored whole as the refresh token: only the extension can read them. */
function kept(oauth: ProviderOAuth, credentials: OAuthCredentials): NewCredential {
	const { access, refresh, expires } = credentials;
	if (typeof access !== "string" || access === "")
		throw new TypeError(`${oauth.name} returned no access token.`);
	for (const secret of [access, refresh]) if (typeof secret === "string") registerSecret(secret);
	const account = [credentials.email, credentials.account].find((each) => typeof each === "string");
	return {
		kind: "oauth",
		access: oauth.getApiKey?.(credentials) ?? access,
		refresh: JSON.stringify(credentials),
		...(typeof expires === "number" && Number.isFinite(expires) ? { expiresAt: expires } : {}),
		...(account === undefined ? {} : { account }),
	};
}

/** The stored value may have any shape, because another version of the extension may have written it. */
function readKept(refresh: string | undefined): OAuthCredentials | undefined {
	if (refresh === undefined) return undefined;
	try {
		const read: unknown = JSON.parse(refresh);
		return typeof read === "object" && read !== null && "access" in read
			? (read as OAuthCredentials)
			: undefined;
	} catch {
		// The login of a built-in flow for the same provider: it is not this extension's.
		return undefined;
	}
}

function callbacksFor(interaction: LoginInteraction, signal: AbortSignal): OAuthLoginCallbacks {
	const line = async (mayBeEmpty = false): Promise<string> => {
		const text = await interaction.paste?.(signal, { mayBeEmpty });
		if (text !== undefined) return text;
		throw new Error("Login cancelled.");
	};
	return {
		signal,
		onAuth({ url, instructions }) {
			interaction.show({ kind: "browser", url, pasteOnly: false });
			if (instructions) interaction.notice(instructions);
		},
		onDeviceCode: ({ userCode, verificationUri }) =>
			interaction.show({ kind: "device", url: verificationUri, code: userCode }),
		onProgress: (message) => interaction.notice(message),
		onPrompt({ message, placeholder, allowEmpty }) {
			interaction.notice(placeholder ? `${message} (${placeholder})` : message);
			return line(allowEmpty);
		},
		onManualCodeInput: () => line(),
		async onSelect({ message, options }) {
			interaction.notice(message);
			options.forEach(({ label }, index) => interaction.notice(`  ${index + 1}  ${label}`));
			const answer = (await line()).trim();
			const byNumber = /^\d+$/.test(answer) ? options[Number(answer) - 1] : undefined;
			return (byNumber ?? options.find(({ id, label }) => id === answer || label === answer))?.id;
		},
	};
}
