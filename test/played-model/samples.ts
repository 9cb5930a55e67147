/** The answers that every official SDK must read. */

export const international =
	'Grüße, 世界! 👩‍💻🚀 – tau is 2π; «мир» العالم 🇯🇵 日本語のテキスト, "quoted"\n\tand \\ escaped 😀😀';

export const nested = {
	command: 'echo "höhö" && ls\n',
	options: { depth: 3, follow: false, exclude: ["a", { b: null }], ratio: 0.25 },
	emoji: "🧵🪡",
};

/** The error of a promise that must fail. */
export async function catchFrom(promise: Promise<unknown>): Promise<unknown> {
	const outcome = await promise.then(
		(value) => ({ value }),
		(error: unknown) => ({ error }),
	);
	if ("error" in outcome) return outcome.error;
	throw new Error(`expected a failure, but got ${JSON.stringify(outcome.value)}`);
}
