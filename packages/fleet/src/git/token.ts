/** A token for one git server: git sends it there, and nowhere else. */
import { UsageError, type Env } from "@tau/utils";

/**
 * The environment of git with the token, which is `host=token`. It is in no file and in no argument; the user's own
 * settings stay.
 */
export function withGitToken(env: Env, token: string | undefined): Env {
	if (token === undefined) return env;
	const at = token.indexOf("=");
	const named = token.slice(0, at).replace(/\/+$/, "");
	const secret = token.slice(at + 1).trim();
	const address = named.includes("://") ? named : `https://${named}`;
	if (at <= 0 || secret === "" || !URL.canParse(address))
		throw new UsageError("fleet.gitToken: write the server and its token: github.com=….");
	const count = Number(env.GIT_CONFIG_COUNT ?? 0);
	// Servers take any user name with a token.
	const basic = Buffer.from(`x-access-token:${secret}`).toString("base64");
	const { host, hostname } = new URL(address);
	const settings = [
		[`http.${address}/.extraHeader`, `Authorization: Basic ${basic}`],
		// The remote of the user may be an address of ssh, for which a worker has no key.
		[`url.${address}/.insteadOf`, `git@${hostname}:`],
		[`url.${address}/.insteadOf`, `ssh://git@${host}/`],
	] as const;
	const variables = settings.flatMap(([key, value], index) => [
		[`GIT_CONFIG_KEY_${count + index}`, key],
		[`GIT_CONFIG_VALUE_${count + index}`, value],
	]);
	return { ...env, GIT_CONFIG_COUNT: String(count + settings.length), ...Object.fromEntries(variables) };
}
