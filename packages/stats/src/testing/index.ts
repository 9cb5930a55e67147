/** Sessions with known usage, for tests and benchmarks. */
export { writeCorpus, type Corpus } from "./corpus.ts";
export { naiveSums, type NaiveSums } from "./naive-sums.ts";
