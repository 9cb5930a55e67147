/** The login in a browser: authorization code with PKCE, answered on a loopback address or pasted by hand. */
import { abortable, withTimeout } from "@tau/utils";

import type { Json } from "../../json.ts";
import { limits } from "../limits.ts";
import type { AuthorizationCode, OAuthFlow } from "./flow.ts";
import type { LoginInteraction } from "./interaction.ts";
import { OAuthError } from "./oauth-error.ts";
import { readPasted } from "./redirect-answer.ts";
import { redirectAddress, RedirectServer, type BrowserAnswer } from "./redirect-server.ts";
import { ask } from "./request.ts";

/** Returns the answer of the token endpoint. */
export async function authorizeInBrowser(
	flow: OAuthFlow,
	grant: AuthorizationCode,
	interaction: LoginInteraction,
	signal: AbortSignal,
): Promise<Json> {
	const pkce = createPkce();
	using server = listen(flow, grant, interaction, pkce.state);
	const address = server?.address ?? redirectAddress(grant, pkce.state, grant.redirect.port);
	interaction.show({
		kind: "browser",
		url: authorizeUrl(flow, grant, pkce, address),
		pasteOnly: server === undefined,
	});
	const answer = await waitForAnswer(server, grant, interaction, pkce.state, signal);
	if (answer.kind === "error") {
		const why = answer.description || answer.error;
		throw new OAuthError(answer.error === "access_denied" ? "denied" : "refused", `${flow.label}: ${why}`);
	}
	return ask(flow, flow.tokenUrl, tokenParameters(flow, grant, pkce, address, answer.code), signal);
}

function listen(
	flow: OAuthFlow,
	grant: AuthorizationCode,
	interaction: LoginInteraction,
	state: string,
): RedirectServer | undefined {
	try {
		return new RedirectServer(grant, flow.label, state);
	} catch (error) {
		// Without pasting there is no other way back, and the provider would refuse any other port.
		if (!interaction.paste || grant.redirect.port === undefined) {
			const why = error instanceof Error ? error.message : String(error);
			throw new OAuthError("refused", `Cannot listen for the browser's callback: ${why}`);
		}
		interaction.notice(`Port ${grant.redirect.port} is in use. Paste the URL you were redirected to.`);
		return undefined;
	}
}

function authorizeUrl(flow: OAuthFlow, grant: AuthorizationCode, pkce: Pkce, address: string): string {
	const url = new URL(grant.authorizeUrl);
	const parameters: Record<string, string> = {
		...grant.authorizeParameters,
		...(flow.clientId === undefined ? {} : { client_id: flow.clientId, response_type: "code" }),
		[grant.redirectParameter ?? "redirect_uri"]: address,
		...(flow.scopes.length > 0 ? { scope: flow.scopes.join(" ") } : {}),
		code_challenge: pkce.challenge,
		code_challenge_method: "S256",
		...(grant.stateInPath ? {} : { state: pkce.state }),
	};
	for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
	return url.href;
}

function tokenParameters(
	flow: OAuthFlow,
	grant: AuthorizationCode,
	pkce: Pkce,
	address: string,
	code: string,
): Record<string, string> {
	const proof = { code, code_verifier: pkce.verifier };
	if (grant.bareTokenRequest) return { ...proof, code_challenge_method: "S256" };
	return {
		grant_type: "authorization_code",
		...proof,
		redirect_uri: address,
		...(flow.clientId === undefined ? {} : { client_id: flow.clientId }),
		...(flow.clientSecret === undefined ? {} : { client_secret: flow.clientSecret }),
		...(grant.stateInTokenRequest ? { state: pkce.state } : {}),
	};
}

/** The first answer wins; the other way is closed then, so that a code is never used twice. */
async function waitForAnswer(
	server: RedirectServer | undefined,
	grant: AuthorizationCode,
	interaction: LoginInteraction,
	state: string,
	signal: AbortSignal,
): Promise<BrowserAnswer> {
	const minutes = limits.loginMs / 60_000;
	using deadline = withTimeout(signal, limits.loginMs, "the login timed out");
	const pasting = new AbortController();
	const pasted = readPastes(grant, interaction, state, AbortSignal.any([deadline.signal, pasting.signal]));
	const ways = [
		...(server ? [server.answer] : []),
		pasted.then((answer) => answer ?? nobodyPastes(server !== undefined)),
	];
	try {
		return await abortable(Promise.race(ways), deadline.signal);
	} catch (error) {
		signal.throwIfAborted();
		if (!deadline.signal.aborted) throw error;
		throw new OAuthError("expired", `The login was not completed within ${minutes} minutes.`);
	} finally {
		pasting.abort();
	}
}

async function readPastes(
	grant: AuthorizationCode,
	interaction: LoginInteraction,
	state: string,
	signal: AbortSignal,
): Promise<BrowserAnswer | undefined> {
	while (interaction.paste && !signal.aborted) {
		const text = await interaction.paste(signal);
		if (text === undefined) return undefined;
		if (text.trim() === "") continue;
		const answer = readPasted(text.slice(0, limits.pasteChars), grant.stateInPath === true);
		if (answer.kind === "nothing") {
			interaction.notice("That is neither a redirect URL nor a code.");
		} else if (answer.state !== undefined && answer.state !== state) {
			interaction.notice(
				"That belongs to another login. Open the URL above and paste the URL you are redirected to.",
			);
		} else return answer;
	}
	return undefined;
}

/** The browser may still return to the redirect server. */
function nobodyPastes(listening: boolean): Promise<never> {
	if (listening) return Promise.withResolvers<never>().promise;
	throw new OAuthError("refused", "The login needs the URL you were redirected to, but none was given.");
}

/** Random values that tie an answer to its login (RFC 7636, RFC 6749 section 10.12). */
interface Pkce {
	verifier: string;
	challenge: string;
	state: string;
}

function createPkce(): Pkce {
	const verifier = random();
	const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
	return { verifier, challenge, state: random() };
}

function random(): string {
	return crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
}
