import { Schema } from "effect"

export class SourceUnknown extends Schema.TaggedError<SourceUnknown>()("SourceUnknown", { source: Schema.String }) {
  override get message() {
    return `There is no signal source '${this.source}' in this workspace; 'gatehouse source list' shows them.`
  }
}

export class SourceNameTaken extends Schema.TaggedError<SourceNameTaken>()("SourceNameTaken", {
  source: Schema.String
}) {
  override get message() {
    return `A signal source '${this.source}' exists in this workspace, or was deleted. Choose another name.`
  }
}

export class SourceAlreadySo extends Schema.TaggedError<SourceAlreadySo>()("SourceAlreadySo", {
  source: Schema.String,
  state: Schema.String
}) {
  override get message() {
    return `The signal source '${this.source}' is ${this.state} already.`
  }
}

export class SourceTakesNoPosts extends Schema.TaggedError<SourceTakesNoPosts>()("SourceTakesNoPosts", {
  source: Schema.String
}) {
  override get message() {
    return `The signal source '${this.source}' checks an address: it takes no posts, and needs no secret, credentials, signed times or words for severities.`
  }
}

export class SourceHasNoApi extends Schema.TaggedError<SourceHasNoApi>()("SourceHasNoApi", {
  source: Schema.String,
  kind: Schema.String,
  kinds: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The signal source '${this.source}' is of the kind ${this.kind}; alerts are acknowledged and resolved only in ${this.kinds.join(" and ")}.`
  }
}

export class TooManyWords extends Schema.TaggedError<TooManyWords>()("TooManyWords", {
  source: Schema.String,
  count: Schema.Int,
  most: Schema.Int
}) {
  override get message() {
    return `The signal source '${this.source}' would map ${this.count} words to severities; at most ${this.most} are allowed. Remove one with '--severity <word>='.`
  }
}

export class SourceCannotBeTested extends Schema.TaggedError<SourceCannotBeTested>()("SourceCannotBeTested", {
  source: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The signal source '${this.source}' cannot be tested from here: ${this.problem}.`
  }
}
