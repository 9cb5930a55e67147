/** Tasks of a fleet as the server would list them, for pictures and for tests of the page. */

export function demoFleet(now: number): object {
	const minutes = (count: number): number => now - count * 60_000;
	const none = { questions: [], cost: 0, last: "" };
	const tasks = [
		{
			...none,
			id: "3f2a91c0",
			state: "waiting",
			prompt: "Publish release 2.4 and write its notes",
			createdAt: minutes(14),
			cost: 0.42,
			last: "asks: Allow git push origin v2.4?",
			questions: [
				{ text: "Allow git push origin v2.4? (it leaves this machine)", choices: ["Allow once", "Deny"] },
			],
		},
		{
			...none,
			id: "b81c04de",
			state: "running",
			prompt: "Fix the parser's error for strings that never end",
			createdAt: minutes(3),
			cost: 0.08,
			last: "bash npm test -- parser",
		},
		{ ...none, id: "0d93ee51", state: "queued", prompt: "Add tests to packages/api", createdAt: minutes(2) },
		{
			...none,
			id: "77a0c2f4",
			state: "failed",
			prompt: "Update the lock file",
			createdAt: minutes(90),
			endedAt: minutes(81),
			last: "The model was interrupted.",
		},
		{
			...none,
			id: "c4550b1a",
			state: "done",
			prompt: "Move the settings page to the new form controls",
			createdAt: minutes(200),
			endedAt: minutes(170),
			cost: 1.31,
			last: "tau/c4550b1a-1",
		},
	];
	const counts = { waiting: 1, running: 1, queued: 1, failed: 1, done: 1 };
	return { isUsed: true, isLocal: true, counts, tasks };
}
