/** Lists to choose from: where keys lead, what is told, and what a long list costs. */
import { afterEach, describe, expect, test } from "bun:test";

import { paste, press, type } from "../editor/testing/keyboard.ts";
import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "../input/index.ts";
import { selectListTheme, settingsListTheme } from "../theme/component-themes.ts";
import {
	MultiSelectList,
	SelectList,
	SettingsList,
	Tabs,
	type MultiSelectOptions,
	type SelectItem,
	type SettingItem,
} from "./index.ts";
import { tokenTheme as theme } from "./testing/token-theme.ts";

afterEach(() => setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS)));

function shown(component: { render(width: number): string[] }, width = 40): string[] {
	return component.render(width).map((row) => Bun.stripANSI(row).trimEnd());
}

function items(count: number): SelectItem[] {
	return Array.from({ length: count }, (_, at) => ({ value: `v${at}`, label: `item ${at}` }));
}

function selectList(count: number, visible = 5) {
	const list = new SelectList(items(count), visible, selectListTheme(theme));
	const told: string[] = [];
	list.onSelect = ({ value }) => void told.push(`select ${value}`);
	list.onCancel = () => void told.push("cancel");
	list.onSelectionChange = ({ value }) => void told.push(value);
	return { list, told };
}

describe("a select list", () => {
	test("goes round its ends with the arrows, and stops there with the page keys", () => {
		const { list, told } = selectList(8, 3);
		press(list, "up", "down", "pageDown", "pageDown", "pageDown", "pageDown", "pageUp", "home", "end");
		expect(told).toEqual(["v7", "v0", "v3", "v6", "v7", "v7", "v4", "v0", "v7"]);
	});

	test("tells what was taken, and that it was left", () => {
		const { list, told } = selectList(3);
		press(list, "down", "enter", "escape", "ctrl+c");
		expect(told).toEqual(["v1", "select v1", "cancel", "cancel"]);
	});

	test("obeys keys that the user has bound anew", () => {
		setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, { "tui.select.down": "j" }));
		const { list, told } = selectList(3);
		press(list, "j", "down");
		expect(told).toEqual(["v1"]);
	});

	test("shows the part around the selection and how far down it is", () => {
		const { list } = selectList(20, 3);
		list.setSelectedIndex(10);
		expect(shown(list)).toEqual(["  item 9", "→ item 10", "  item 11", "  (11/20)"]);
		list.setSelectedIndex(Number.NaN);
		expect(list.getSelectedItem()?.value).toBe("v0");
		list.setSelectedIndex(1e9);
		expect(list.getSelectedItem()?.value).toBe("v19");
	});

	test("is narrowed down by what is typed, the best match first", () => {
		const { list } = selectList(20);
		list.setFilter("17");
		expect(list.getSelectedItem()?.value).toBe("v17");
		list.setFilter("nothing");
		expect(shown(list)).toEqual(["  No matches"]);
		expect(list.getSelectedItem()).toBeNull();
	});

	test("without a match takes every key without harm", () => {
		const { list, told } = selectList(0);
		press(list, "up", "down", "pageUp", "pageDown", "home", "end", "enter", "escape");
		expect(told).toEqual(["cancel"]);
	});

	test("reads only the names that it shows, once it knows how wide they are", () => {
		let read = 0;
		const many = Array.from({ length: 200_000 }, (_, at) => ({
			value: `v${at}`,
			get label() {
				read++;
				return `item ${at}`;
			},
		}));
		const list = new SelectList(many, 10, selectListTheme(theme));
		list.render(80);
		read = 0;
		press(list, "pageDown");
		list.render(80);
		expect(read).toBeLessThan(50);
	});

	test("does not look for the end of a name that is a whole file", () => {
		const list = new SelectList(
			[{ value: "x", label: `start${"\u200b".repeat(5_000)}end` }],
			5,
			selectListTheme(theme),
		);
		expect(shown(list)[0]).toStartWith("→ start");
		expect(shown(list)[0]).not.toContain("end");
	});

	test("shows names from strangers as names", () => {
		const evil = { value: "x", label: "a\x1b[2Jb\nc\x1b]52;c;aGk=\x07", description: "\x1b[31mred\u202e" };
		const list = new SelectList([evil], 5, selectListTheme(theme));
		expect(shown(list)).toEqual(["→ ab c          red"]);
	});
});

describe("a list of which several can be chosen", () => {
	function multi(options: MultiSelectOptions = {}) {
		const list = new MultiSelectList(
			items(12).map((item, at) => ({ ...item, isChosen: at === 3 })),
			5,
			selectListTheme(theme),
			options,
		);
		const told: string[][] = [];
		list.onConfirm = (values) => void told.push(values);
		list.onCancel = () => void told.push(["cancel"]);
		return { list, told };
	}

	test("gives what was chosen in the order of the list", () => {
		const { list, told } = multi();
		press(list, "down", " ", "up", " ", "enter");
		expect(told).toEqual([["v0", "v1", "v3"]]);
		expect(shown(list)[0]).toBe("→ [✓] item 0");
	});

	test("takes a choice back, and all of them", () => {
		const { list } = multi();
		press(list, " ", " ");
		expect(list.values).toEqual(["v3"]);
		press(list, "ctrl+a");
		expect(list.values).toHaveLength(12);
		press(list, "ctrl+a");
		expect(list.values).toEqual([]);
	});

	test("keeps choices while one searches; the first Escape ends the search", () => {
		const { list, told } = multi({ enableSearch: true });
		type(list, "11");
		press(list, " ", "escape");
		expect(told).toEqual([]);
		expect(shown(list)).toContain("  2 of 12 selected");
		press(list, "enter", "escape");
		expect(told).toEqual([["v3", "v11"], ["cancel"]]);
	});
});

describe("a list of settings", () => {
	function settingsList(more: Partial<SettingItem> = {}, enableSearch = false) {
		const told: string[] = [];
		const list = new SettingsList(
			[
				{ id: "theme", label: "Theme", currentValue: "dark", values: ["dark", "light"], ...more },
				{ id: "sound", label: "Sound", currentValue: "off", values: ["off", "on"], description: "A bell" },
			],
			5,
			settingsListTheme(theme),
			(id, value) => void told.push(`${id}=${value}`),
			() => void told.push("cancel"),
			{ enableSearch },
		);
		return { list, told };
	}

	test("goes through the values with Enter and Space", () => {
		const { list, told } = settingsList();
		press(list, "enter", " ", "down", " ");
		expect(told).toEqual(["theme=light", "theme=dark", "sound=on"]);
		expect(shown(list)).toEqual([
			"  Theme  dark",
			"→ Sound  on",
			"",
			"  A bell",
			"",
			"  enter/space to change · esc to close",
		]);
	});

	test("shows a value that changed elsewhere", () => {
		const { list } = settingsList();
		list.updateValue("sound", "on");
		expect(shown(list)[1]).toBe("  Sound  on");
	});

	test("is searched by typing or pasting, and Escape takes the search back before it leaves", () => {
		const { list, told } = settingsList({}, true);
		list.focused = true;
		type(list, "sou");
		expect(shown(list)).not.toContainEqual(expect.stringContaining("Theme"));
		press(list, "enter", "escape");
		expect(told).toEqual(["sound=on"]);
		paste(list, "theme");
		expect(shown(list)[2]).toBe("→ Theme  dark");
		press(list, "escape", "escape");
		expect(told).toEqual(["sound=on", "cancel"]);
	});

	test("says so when nothing matches, and changes nothing then", () => {
		const { list, told } = settingsList({}, true);
		type(list, "zzzz");
		press(list, "enter", "down");
		expect(shown(list)).toContain("  No matching settings");
		expect(told).toEqual([]);
	});

	test("opens a submenu, gives it the keys, and takes its value", () => {
		const heard: string[] = [];
		const submenu: SettingItem["submenu"] = (_, done) => ({
			render: () => ["submenu"],
			invalidate: () => {},
			handleInput: (data) => {
				heard.push(data);
				if (data === "x") done("blue");
				if (data === "q") done();
			},
		});
		const { list, told } = settingsList({ submenu });
		press(list, "enter");
		expect(shown(list)).toEqual(["submenu"]);
		press(list, "a", "x", "enter", "q", "enter");
		expect(heard).toEqual(["a", "x", "q"]);
		expect(told).toEqual(["theme=blue"]);
	});

	test("is not stuck in a submenu that was done before it was there, or says so twice", () => {
		const finish: (() => void)[] = [];
		const submenu: SettingItem["submenu"] = (value, done) => {
			finish.push(() => done("later"));
			if (value === "dark") done("at once");
			return { render: () => ["submenu"], invalidate: () => {} };
		};
		const { list, told } = settingsList({ submenu });
		press(list, "enter");
		expect(shown(list)[0]).toBe("→ Theme  at once");
		press(list, "enter");
		finish[0]?.();
		expect(shown(list)).toEqual(["submenu"]);
		expect(told).toEqual(["theme=at once"]);
	});

	test("hands the caret to the submenu and takes it back", () => {
		const field = { focused: false, render: () => ["field"], invalidate: () => {} };
		let close = (): void => {};
		const submenu: SettingItem["submenu"] = (_, done) => {
			close = done;
			return field;
		};
		const { list } = settingsList({ submenu });
		list.focused = true;
		press(list, "enter");
		expect(field.focused).toBe(true);
		close();
		expect(field.focused).toBe(false);
	});
});

describe("tabs", () => {
	const tabs = (count: number): Tabs =>
		new Tabs(
			Array.from({ length: count }, (_, at) => ({ id: `${at}`, label: `Tab ${at}` })),
			theme,
		);

	test("go on and back with tab and arrows, round the end", () => {
		const row = tabs(3);
		const told: string[] = [];
		row.onChange = ({ id }) => void told.push(id);
		for (const key of ["\t", "\x1b[C", "\x1b[C", "\x1b[D", "\x1b[Z"]) expect(row.handleKey(key)).toBe(true);
		expect(told).toEqual(["1", "2", "0", "2", "1"]);
		expect(row.handleKey("x")).toBe(false);
	});

	test("always show the open one, and say that there are more", () => {
		const row = tabs(20);
		for (let at = 0; at < 10; at++) row.handleKey("\t");
		const [line = ""] = shown(row, 30);
		expect(line).toContain("Tab 10");
		expect([line.startsWith("‹"), line.endsWith("›")]).toEqual([true, true]);
		expect(shown(tabs(3), 30)).toEqual([" Tab 0  Tab 1  Tab 2"]);
	});

	test("keep the open one open when others come and go", () => {
		const row = tabs(3);
		row.handleKey("\t");
		row.setTabs([
			{ id: "new", label: "New" },
			{ id: "1", label: "Tab 1" },
		]);
		expect(row.open?.id).toBe("1");
		row.setTabs([{ id: "new", label: "New" }]);
		expect(row.open?.id).toBe("new");
	});

	test("can be opened by name", () => {
		const row = tabs(3);
		expect([row.select("2"), row.open?.id]).toEqual([true, "2"]);
		expect([row.select("nowhere"), row.open?.id]).toEqual([false, "2"]);
	});

	test("that are none, or one, leave the keys to others", () => {
		expect(tabs(0).handleKey("\t")).toBe(false);
		expect(tabs(0).open).toBeUndefined();
		expect(tabs(1).handleKey("\t")).toBe(false);
	});
});
