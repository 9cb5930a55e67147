/** Code of an extension belongs to its session, also asynchronously, and its resources end with the session. */
// isolated: a session that another file leaves open would be the only one there is.
import { expect, test } from "bun:test";

import { limits } from "./limits.ts";
import { currentScope, ExtensionScope, perScope, processScope } from "./scope.ts";

function resource(ended: string[], name: string): AsyncDisposable {
	return {
		async [Symbol.asyncDispose]() {
			ended.push(name);
		},
	};
}

test("promises and timers belong to the session whose code starts them", async () => {
	await using one = new ExtensionScope();
	await using two = new ExtensionScope();
	const seen = await Promise.all(
		[one, two].map((scope) =>
			scope.run(async () => {
				await Promise.resolve();
				const { promise, resolve } = Promise.withResolvers<ExtensionScope>();
				setTimeout(() => resolve(currentScope()), 1);
				return [await promise, currentScope()];
			}),
		),
	);
	expect(seen.map((scopes, index) => scopes.map((scope) => scope === [one, two][index]))).toEqual([
		[true, true],
		[true, true],
	]);
	expect(currentScope()).toBe(processScope);
});

test("a callback without a session belongs to the only one there is", async () => {
	await using only = new ExtensionScope();
	expect(currentScope()).toBe(only);
	{
		await using _other = new ExtensionScope();
		expect(currentScope()).toBe(processScope);
	}
	expect(currentScope()).toBe(only);
});

test("resources end with their session, and a failing one does not keep others from ending", async () => {
	const ended: string[] = [];
	const [one, two] = [new ExtensionScope(), new ExtensionScope()];
	one.own(resource(ended, "one"));
	one.own({
		async [Symbol.asyncDispose]() {
			throw new Error("stuck");
		},
	});
	one.own(resource(ended, "another"));
	two.own(resource(ended, "two"));
	await one[Symbol.asyncDispose]();
	expect(ended).toEqual(["one", "another"]);
	await two[Symbol.asyncDispose]();
	expect(ended).toEqual(["one", "another", "two"]);
});

test("the oldest resources end when there are too many", async () => {
	await using scope = new ExtensionScope();
	const ended: string[] = [];
	for (let at = 0; at < limits.scopeResources + 3; at++) scope.own(resource(ended, String(at)));
	expect(ended).toEqual(["0", "1", "2"]);
});

test("each session has its own value", async () => {
	await using one = new ExtensionScope();
	await using two = new ExtensionScope();
	const lists = perScope((): string[] => []);
	one.run(() => lists().push("one"));
	two.run(() => lists().push("two"));
	expect([one.run(lists), two.run(lists), processScope.run(lists)]).toEqual([["one"], ["two"], []]);
});
