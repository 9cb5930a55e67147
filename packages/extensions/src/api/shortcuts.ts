/** Keys that extensions cannot bind, because a user could no longer cancel, exit or send without them. */

const reserved: ReadonlySet<string> = new Set([
	"ctrl+c",
	"ctrl+d",
	"ctrl+z",
	"ctrl+k",
	"ctrl+p",
	"ctrl+l",
	"ctrl+o",
	"ctrl+t",
	"ctrl+g",
	"shift+tab",
	"ctrl+shift+p",
	"alt+enter",
	"escape",
	"enter",
]);

/** Why an extension cannot have the key. */
export function shortcutProblem(key: string): string | undefined {
	const parts = key.toLowerCase().split("+");
	const name = [...parts.slice(0, -1).toSorted(), parts.at(-1)].join("+");
	return reserved.has(name) ? `The shortcut ${key} is reserved by Tau. Choose another one.` : undefined;
}
