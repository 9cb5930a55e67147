/** The cells of `npm run bare`: an account and a place each, what runs there, and what its log says. */
import { ordinaryUser } from "./image.ts";

export interface Cell {
	user: string;
	place: string;
	directory: string;
}

export interface Outcome {
	/** Both questions were answered, and the command of the second one really ran. */
	tauWorks: boolean;
	/** The last line of `npm test`. */
	tests: string;
	isGood: boolean;
}

/** Every account in every place, unless some are named. */
export function cells(users: readonly ("root" | "user")[], places: readonly string[]): Cell[] {
	const accounts = users.length > 0 ? users : (["user", "root"] as const);
	return accounts.flatMap((account) => {
		const user = account === "root" ? "root" : ordinaryUser;
		const known: Readonly<Record<string, string>> = {
			// Nobody else may enter it.
			home: user === "root" ? "/root/tau" : `/home/${user}/tau`,
			srv: "/srv/tau",
			tmp: "/tmp/a clone with blanks/tau",
		};
		return (places.length > 0 ? places : Object.keys(known)).map((place) => {
			const directory = known[place];
			if (directory === undefined)
				throw new Error(`no place ${place}: choose from ${Object.keys(known).join(", ")}`);
			return { user, place, directory };
		});
	});
}

/** The commands of the README, one after the other, each with its exit code. */
export function commandsOf(tests: readonly string[] | undefined): string {
	const commands = [`./tau "what is in this project"`, `./tau -p "run id"`];
	if (tests) commands.push(["npm test", ...(tests.length > 0 ? ["--", ...tests.map(quoted)] : [])].join(" "));
	return commands
		.map((command) => `echo '$ '${quoted(command)}\n${command}\nprintf '\\nexit code %s\\n' "$?"`)
		.join("\n");
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function outcomeOf(log: string, code: number): Outcome {
	const [first = "", second = "", tests] = log.split(/^\$ /m).slice(1);
	const hasPassed = (part: string): boolean => /^exit code 0$/m.test(part);
	const tauWorks = hasPassed(first) && hasPassed(second) && /\buid=\d+/.test(second);
	const counted = tests === undefined ? "" : (/^\d+ passed, .*$/m.exec(tests)?.[0] ?? "no result");
	return {
		tauWorks,
		tests: counted,
		isGood: code === 0 && tauWorks && (tests === undefined || (hasPassed(tests) && counted !== "no result")),
	};
}
