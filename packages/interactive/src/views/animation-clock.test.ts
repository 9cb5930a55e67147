/** One clock for all animations, as fast as they need it. */
import { expect, test } from "bun:test";

import type { Component } from "@tau/tui";

import { HandClock } from "../testing/view-context.ts";
import { AnimationClock } from "./animation-clock.ts";

const part = (): Component => ({ render: () => [], invalidate: () => {} });

test("each part is redrawn at its own rate, and the clock stops with the last", () => {
	const clock = new HandClock();
	const drawn: Component[] = [];
	const animation = new AnimationClock(
		{ requestComponentRender: (component) => void drawn.push(component) },
		clock,
	);
	const [slow, fast] = [part(), part()];
	const count = (component: Component): number => drawn.filter((each) => each === component).length;
	const slowly = animation.animate(slow, 1000);
	clock.pass(500);
	const quickly = animation.animate(fast, 50);
	clock.pass(1000);
	expect(count(fast)).toBe(20);
	expect(count(slow)).toBe(1);
	quickly[Symbol.dispose]();
	clock.pass(2000);
	expect(count(fast)).toBe(20);
	expect(count(slow)).toBe(3);
	slowly[Symbol.dispose]();
	expect(clock.isWaiting).toBe(false);
});

test("with animations disabled, times still advance once a second", () => {
	const clock = new HandClock();
	const drawn: Component[] = [];
	const animation = new AnimationClock(
		{ requestComponentRender: (component) => void drawn.push(component) },
		clock,
	);
	animation.isStill = true;
	animation.animate(part(), 50);
	clock.pass(3000);
	expect(drawn).toHaveLength(3);
	expect(animation.spinner).toBe("●");
	animation[Symbol.dispose]();
	expect(clock.isWaiting).toBe(false);
});
