import { attached } from "/work/h/attached/bench/attached.ts";
console.log(await attached());
