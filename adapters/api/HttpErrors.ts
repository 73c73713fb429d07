import { Schema } from "effect"

export class InvalidParameter extends Schema.TaggedError<InvalidParameter>()("InvalidParameter", {
  name: Schema.String,
  received: Schema.String,
  allowed: Schema.String
}) {
  override get message() {
    return `${this.name} must be ${this.allowed}; got '${this.received}'.`
  }
}

export class BoardNotFound extends Schema.TaggedError<BoardNotFound>()("BoardNotFound", { board: Schema.String }) {
  override get message() {
    return `There is no board '${this.board}' in this workspace; GET /boards lists them, GET /v1/teams replaces them.`
  }
}

export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  limit: Schema.Int
}) {
  override get message() {
    return `The request body is over the limit of ${this.limit} bytes.`
  }
}

export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  allowed: Schema.String,
  received: Schema.String
}) {
  override get message() {
    return `The body must be sent ${this.allowed}; got '${this.received}'.`
  }
}

export class InvalidJson extends Schema.TaggedError<InvalidJson>()("InvalidJson", { problem: Schema.String }) {
  override get message() {
    return `The body is not JSON in UTF-8: ${this.problem}.`
  }
}

export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field === "" ? "The body" : this.field} ${this.problem}.`
  }
}

export class RouteNotFound extends Schema.TaggedError<RouteNotFound>()("RouteNotFound", {
  method: Schema.String,
  path: Schema.String
}) {
  override get message() {
    return `There is no route ${this.method} ${this.path}; GET /v1/openapi.json describes the API, /docs shows it.`
  }
}

export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  method: Schema.String,
  allow: Schema.String
}) {
  override get message() {
    return `This route does not take ${this.method}; it takes ${this.allow}.`
  }
}

export class EndpointGone extends Schema.TaggedError<EndpointGone>()("EndpointGone", { successor: Schema.String }) {
  override get message() {
    return `Projects and tasks are gone with the first version of this API. Use ${this.successor} instead.`
  }
}

export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", { requestId: Schema.String }) {
  override get message() {
    return `Something broke on our side. Please report it with the request id ${this.requestId}.`
  }
}
