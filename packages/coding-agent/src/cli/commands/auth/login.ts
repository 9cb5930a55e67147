/** `tau login`: adds a subscription or a key to the credential store. */
import { providerOf, type CredentialStore, type LoginInteraction } from "@tau/ai";
import { loadDotenv, ownWrite, shortenHome, stripControls, UsageError } from "@tau/utils";

import { openBrowser } from "@tau/session-commands/shared";
import type { Settings } from "@tau/config/settings";

import type { Args } from "../../args.ts";
import { broughtProviders, type BroughtProvider } from "./extensions.ts";
import { findProvider, labelOf } from "./providers.ts";
import { printErrorOf, openCredentials } from "./store.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import { limits } from "../../limits.ts";
import { LineInput } from "./login-input.ts";
import { onInterrupt, type Interruption } from "../../signals.ts";

interface Login {
	store: CredentialStore;
	input: LineInput;
	/** By extensions. */
	brought: readonly BroughtProvider[];
	signal: AbortSignal;
}

export async function runLogin(args: Args): Promise<number> {
	return logInTo(args, args.operands[0], openCredentials);
}

/** `word` is the provider that the user names; without one the user is asked. */
export async function logInTo(
	args: Args,
	word: string | undefined,
	openStore: (settings: Settings) => Promise<CredentialStore>,
): Promise<number> {
	const { flags } = args;
	using interruption = onInterrupt();
	loadDotenv();
	using input = new LineInput(() => process.kill(process.pid, "SIGINT"));
	try {
		const settings = await openSettings(args);
		using store = await openStore(settings);
		const brought = await broughtProviders(args, settings, store);
		const login: Login = { store, input, brought, signal: interruption.signal };
		const offers = await store.logins();
		const names = [...offers.map((offer) => offer.provider), ...brought.map(({ id }) => id)];
		const provider =
			word === undefined ? await askWhich(login, offers, names) : await findProvider(word, names);
		if (provider === undefined) return stopped(interruption);
		const offer = offers.find((each) => each.provider === provider);
		const done =
			offer && !flags.has("api-key")
				? await logIn(login, provider, offer.label)
				: await keepKey(login, provider);
		return done ? exitCodes.answered : interruption.signal.aborted ? stopped(interruption) : exitCodes.failed;
	} catch (error) {
		return printErrorOf(error);
	}
}

async function askWhich(
	{ input, signal }: Login,
	offers: readonly { provider: string; label: string }[],
	/** The names that may be used instead. */
	known: readonly string[],
): Promise<string | undefined> {
	if (!input.isTerminal) {
		const names = offers.map(({ provider }) => provider).join(", ");
		throw new UsageError(
			`Usage: tau login <provider>. Providers with a login: ${names}; with an API key: all.`,
		);
	}
	const width = Math.max(...offers.map(({ provider }) => provider.length));
	offers.forEach(({ provider, label }, index) => say(`  ${index + 1}  ${provider.padEnd(width)}  ${label}`));
	say("\nTo add an API key, type a provider name.");
	for (;;) {
		ownWrite(process.stdout)("Number or provider: ");
		const answer = (await input.line(signal))?.trim();
		if (answer === undefined) return undefined;
		if (answer === "") continue;
		const chosen = /^\d+$/.test(answer) ? offers[Number(answer) - 1]?.provider : answer;
		if (chosen === undefined) {
			say(`Enter a number from 1 to ${offers.length}, or a provider name.`);
			continue;
		}
		return findProvider(chosen, known);
	}
}

async function logIn(
	{ store, input, brought, signal }: Login,
	provider: string,
	label: string,
): Promise<boolean> {
	const result = await store.login(provider, interactionWith(input, label), signal);
	if (result.ok) {
		const { account } = result.credential;
		const who = account === undefined ? "" : ` as ${stripControls(account, { newline: false, tab: false })}`;
		say(`Logged in to ${label}${who}.`);
		if (!providerOf(provider) && !brought.some(({ id }) => id === provider))
			say("This version of Tau has no models for it yet.");
		return true;
	}
	if (!result.stopped) printError(result.message);
	return false;
}

function interactionWith(input: LineInput, label: string): LoginInteraction {
	return {
		show(step) {
			const where = stripControls(step.url, { newline: false, tab: false });
			say(`To log in to ${label}, open:\n\n  ${where}\n`);
			if (step.kind === "device") {
				say(`and enter the code ${stripControls(step.code, { newline: false, tab: false })}`);
			}
			const opened = openBrowser(step.url, process.env);
			if (step.kind === "device") say("Waiting for approval…");
			else if (step.pasteOnly) say("Then paste the URL you were redirected to.");
			else if (opened)
				say("Waiting for the browser… On another machine? Paste the URL you were redirected to.");
			else say("Open the URL in a browser. On another machine, paste the URL you were redirected to.");
		},
		notice: say,
		paste: (signal) => input.line(signal),
	};
}

async function keepKey({ store, input, brought, signal }: Login, provider: string): Promise<boolean> {
	const label = labelOf(provider, brought);
	const question = (): void => void ownWrite(process.stdout)(`${label} API key (hidden): `);
	const key = (await input.secret(signal, question))?.trim();
	if (input.isTerminal) say("");
	if (signal.aborted) return false;
	if (!key) throw new UsageError(`No API key given for ${label}.`);
	// A key is one word in a header.
	if (/[\s\p{Cc}]/u.test(key) || key.length >= limits.lineChars)
		throw new UsageError("Not an API key: it contains whitespace or is too long.");
	await store.add(provider, { kind: "api_key", access: key });
	say(`Saved the ${label} API key to ${shortenHome(store.path)}.`);
	return true;
}

function stopped(interruption: Interruption): number {
	return interruption.exitCode ?? exitCodes.interrupted;
}

/** Bypasses the capture of extension output. */
function say(line: string): void {
	ownWrite(process.stdout)(`${line}\n`);
}
