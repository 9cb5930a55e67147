/** Offers to install packages that settings name and that are missing; nothing is fetched without a yes. */
import { dirs, shortenHome, stripControls, privateDirectory } from "@tau/utils";
import { projectHome, userHome, readSource, writeWhole } from "@tau/extensions/packages";
import { installPackages } from "@tau/extensions/packages/install";
import { offer, type OverlayHost } from "@tau/interactive/first-run";
import { plural } from "@tau/interactive/views";
import { limits } from "../limits.ts";
import { declinedFile, declinedPackages, type MissingPackage } from "./missing-packages.ts";

interface Offering {
	host: OverlayHost;
	cwd: string;
	signal: AbortSignal;
	onNotice(message: string): void;
}

export async function offerPackages(missing: readonly MissingPackage[], offering: Offering): Promise<void> {
	const { host, signal, onNotice } = offering;
	// An Enter that was intended for something else selects the first option.
	const answer = await offer(
		host,
		question(missing),
		[
			{ value: "later", label: "Not now", description: "continue without them; ask again next time" },
			{
				value: "yes",
				label: "Install",
				description: "download them now; packages run with your full permissions",
			},
			{ value: "no", label: "No", description: "continue without them; don't ask again" },
		],
		{ signal },
	);
	if (answer === "no") decline(missing, onNotice);
	if (answer === "yes") await install(missing, offering);
}

function question(missing: readonly MissingPackage[]): string {
	return [
		`Your settings list ${plural(missing.length, "package")} that ${missing.length === 1 ? "is" : "are"} not installed. Install?`,
		...missing
			.slice(0, limits.namedPackages)
			.map(({ text, file }) => `  ${clean(text)}  (${clean(shortenHome(file))})`),
		...(missing.length > limits.namedPackages ? [`  and ${missing.length - limits.namedPackages} more`] : []),
	].join("\n");
}

/** A package that fails does not affect the others. During the download the user may write, or cancel it. */
async function install(missing: readonly MissingPackage[], offering: Offering): Promise<void> {
	const { host, cwd, signal, onNotice } = offering;
	const [stopped, done] = [new AbortController(), new AbortController()];
	const until = AbortSignal.any([signal, stopped.signal]);
	const title = `Installing ${missing.map(({ text }) => clean(text)).join(", ")}…`;
	void offer(host, title, [{ value: "stop", label: "Cancel and continue without them" }], {
		signal: done.signal,
	}).then((answer) => answer === "stop" && stopped.abort());
	for (const { text, scope, source } of missing) {
		const home = scope === "project" ? projectHome(cwd) : userHome(dirs().agent);
		const read = readSource(text, { cwd, home: dirs().home });
		const request = { source, features: read.ok ? read.features : undefined };
		const outcome = await installPackages([request], { home, env: process.env, signal: until });
		const names = outcome.ok ? outcome.value.map(({ name, entry }) => `${name} ${entry.version}`) : [];
		onNotice(outcome.ok ? `Installed ${names.join(", ")}.` : `${text} was not installed: ${outcome.reason}`);
	}
	done.abort();
}

function decline(missing: readonly MissingPackage[], onNotice: (message: string) => void): void {
	const packages = [...new Set([...declinedPackages(), ...missing.map(({ identity }) => identity)])];
	try {
		privateDirectory(dirs().state);
		writeWhole(declinedFile(), `${JSON.stringify({ packages })}\n`);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		onNotice(`Tau will ask again, because your answer could not be saved: ${reason}`);
	}
}

/** A project may have written it. */
function clean(text: string): string {
	return stripControls(text, { newline: false, tab: false });
}
