/** Opens a web address with whatever this machine has for that. */
import { type Env, env as readEnv, hostProgram, hostSearchPath, withoutProviderKeys } from "@tau/utils";

/** False if there is no visible browser, or the user has disabled it. */
export function openBrowser(url: string, env: Env, platform: NodeJS.Platform = process.platform): boolean {
	const command = browserCommand(url, env, platform);
	if (!command) return false;
	try {
		const [name = "", ...args] = command;
		const program = hostProgram(name, env.PATH ?? "");
		if (program === undefined) return false;
		Bun.spawn([program, ...args], {
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			env: { ...withoutProviderKeys(env), PATH: hostSearchPath(env.PATH) },
		}).unref();
		return true;
	} catch {
		// The address is on the screen, so the user can open it.
		return false;
	}
}

export function browserCommand(url: string, env: Env, platform: NodeJS.Platform): string[] | undefined {
	// What is handed to such a program is opened whatever it is: a file, a program.
	const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
	if (!isWeb || readEnv("TAU_NO_BROWSER", env) !== undefined) return undefined;
	// `%s` stands for the address; several programs are separated by colons, as xdg-open has it.
	const chosen = (env.BROWSER ?? "").split(":").find(Boolean);
	if (chosen !== undefined) {
		const words = chosen.split(" ").filter(Boolean);
		return words.some((word) => word.includes("%s"))
			? words.map((word) => word.replaceAll("%s", url))
			: [...words, url];
	}
	if (platform === "darwin") return ["open", url];
	if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
	if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return undefined;
	const opener = hostProgram("xdg-open", env.PATH ?? "");
	return opener === undefined ? undefined : [opener, url];
}
